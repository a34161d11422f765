import type { FieldProblem } from "../client/answer-form.ts"
import type { Words } from "./en.ts"

export const zh: Words = {
  states: {
    running: "运行中",
    waiting: "等待中",
    needsYou: "等你处理",
    done: "完成",
    failed: "失败",
    cancelled: "已取消",
    unknown: "未知",
    idle: "空闲",
    stale: "过期",
    blocked: "受阻",
    unavailable: "不可用",
  },
  causes: {
    provider_error: "模型服务出错",
    rate_limited: "模型服务要求稍候",
    cut_stream: "模型的回答中断了",
    malformed: "无法读取模型的回答",
    interrupted: "已停止",
    runtime_restart: "运行期间主机重新启动",
    time_limit: "超时",
    write_failed: "无法写入日志",
  },
  nextSteps: {
    provider_error: "请重新提问；如果再次失败，请检查模型服务。",
    rate_limited: "请稍候，然后重新提问。",
    cut_stream: "请重新提问。",
    malformed: "请重新提问，或换一种说法。",
    runtime_restart: "已收到的内容都保留着。重新提问即可继续。",
    time_limit: "请减少一次要做的事，然后重新提问。",
    write_failed: "请在数据目录中腾出空间，然后重新提问。",
  },
  runtimeSays: {
    Preparing: "准备中",
    "Gathering context": "收集上下文",
    "Waiting for the model": "等待模型",
    Answering: "回答中",
    Finishing: "收尾",
    "Using tools": "使用工具",
    "Going on": "继续",
    "Waiting for you": "等你处理",
    "Allow once": "允许一次",
    Deny: "拒绝",
    "A person said no.": "有人拒绝了。",
    "Nobody answered in time.": "没有人及时回答。",
    "It was cancelled.": "已取消。",
    "The question was withdrawn.": "问题已撤回。",
    "The arguments are not a JSON object.": "参数不是 JSON 对象。",
    "The runtime stopped during this call; whether its effect happened is not known.":
      "调用期间运行时停止了，不知道它是否生效。",
    "Stopped by the user.": "由用户停止。",
    "The runtime stopped while this turn was running.": "这一回合运行时，运行时停止了。",
  },
  runtimePhrases: [
    [/^Allow (\S+)\?$/, "允许 $1？"],
    [/^Asked because of (.+)\.$/, "询问的依据：$1。"],
    [/^A person said no\. (.+)$/s, "有人拒绝了：$1"],
    [/^Denied by (.+)\.$/, "被拒绝，依据：$1。"],
    [/^This turn has no tool (.+)\.$/, "这一回合没有工具 $1。"],
    [/^The tool (.+) is no longer there\.$/, "工具 $1 已不存在。"],
    [/^It took longer than (\d+) ms\.$/, "超过了 $1 毫秒。"],
  ],
  finishes: {
    length: "因达到模型的长度上限而截断",
    content_filter: "被模型服务的内容过滤截断",
  },
  failures: {
    invalid_args: "输入不符合要求",
    unknown_tool: "没有这个工具",
    permission_denied: "未获允许",
    sandbox_violation: "被沙箱阻止",
    hook_blocked: "被钩子阻止",
    tool_error: "工具出错",
    time_limit: "超时",
    interrupted: "已停止",
    runtime_restart: "运行期间主机重新启动",
    outcome_unknown: "结果未知",
  },
  fieldProblem,
  units: { s: "秒", min: "分" },
  palette: "命令",
  paletteHint: "搜索命令、会话和界面",
  paletteNone: "没有匹配的内容。",
  copy: "复制",
  copied: "已复制",
  copyFailed: "未能复制",
  ago: (seconds: number) =>
    seconds < 5
      ? "刚刚"
      : seconds < 60
        ? `${seconds} 秒前`
        : seconds < 3600
          ? `${Math.floor(seconds / 60)} 分钟前`
          : seconds < 86_400
            ? `${Math.floor(seconds / 3600)} 小时前`
            : `${Math.floor(seconds / 86_400)} 天前`,
  sessions: "会话",
  allSessions: "所有会话",
  newSession: "新会话",
  untitled: "未命名会话",
  conversation: "对话",
  you: "你",
  emptyTitle: "要做什么？",
  emptyBody: "写在下面。会话有自己的标签页和地址，其中的一切都会保留。",
  demo: "没有配置其他模型时，由按脚本回答的演示模型作答。",
  tryThis: "试试：",
  examples: ["你好", "用一下工具", "来一段长的"],
  quietBody: "这个会话还没有内容。",
  keySend: "发送",
  keyLine: "换行",
  keyStop: "停止",
  loading: "正在读取会话",
  earlier: "显示更早的消息",
  textOutside: "这条消息不在已加载的日志范围内。",
  incomplete: "日志中缺少此会话的部分事实，显示的内容可能不完整。",
  starting: "已接受，等待启动",
  sending: "发送中",
  working: "运行中",
  lastKnown: (state) => `最后所知：${state}`,
  notSent: "未发送",
  retry: "重新发送",
  edit: "编辑",
  discard: "丢弃",
  again: "重新提问",
  reasoning: "推理",
  toolCall: (tool) => `提议的调用：${tool}`,
  partial: "部分输出",
  input: "输入",
  output: "输出",
  partShown: "只显示一部分",
  partShownOf: (size) => `共 ${size}，只显示一部分`,
  nothing: "无",
  notYet: "还没有",
  waitingForYou: (count) => (count === 1 ? "等你处理" : `等你处理 · ${count} 个问题`),
  asks: (who) => `提问者：${who}`,
  requesters: {
    agent: "智能体",
    subagent: "子智能体",
    teammate: "队友",
    tool: "工具",
    policy: "策略",
    host: "主机",
    channel: "渠道",
  },
  tool: (name) => `工具 ${name}`,
  risks: { low: "低风险", medium: "中等风险", high: "高风险", unknown: "风险未知" },
  since: (time) => `自 ${time}`,
  until: (time) => `请在 ${time} 前回答`,
  waitsFor: { human: "等待有人决定。", policy: "等待策略决定。", host: "等待主机决定。" },
  askedFor: "请求的内容",
  note: "备注（可选）",
  optional: "可选",
  choose: "请选择",
  truth: { yes: "是", no: "否" },
  answerJson: "回答（JSON 对象）",
  answerSchema: "回答的格式（JSON Schema）",
  answerSending: "发送中",
  answerSent: "已发送，等待写入日志",
  deciders: { human: "由人决定", policy: "由策略决定", host: "由主机决定", runtime: "由运行时决定" },
  unanswered: { cancelled: "已撤回", expired: "未及时回答" },
  askedOutside: "在已加载的日志范围之前提出的问题",
  outside: "这个问题在已加载的日志范围之前提出。请继续向前读取再回答。",
  corrected: "已由模型更正",
  tokens: (input, output) => `输入 ${input}，输出 ${output} 个词元`,
  fresh: (count) => `${count} 条新内容`,
  latest: "最新",
  message: "消息",
  placeholder: "输入消息",
  placeholderQueue: "输入下一条消息",
  send: "发送",
  queue: "排队",
  queued: (count) => `排队中 · ${count}`,
  remove: "移除",
  promote: "优先运行",
  removeLabel: (text) => `从队列移除：${text}`,
  promoteLabel: (text) => `优先运行：${text}`,
  stop: "停止",
  lost: "与主机失去连接，正在重试。",
  lostFor: (time) => `已中断 ${time}`,
  lostHint: "如果主机已停止，请用 npm start 启动。",
  tryNow: "立即重试",
  streamRefused: (status) => `主机拒绝了数据流（${status}）。`,
  readAgain: "重新读取",
  dismiss: "关闭",
  close: "关闭",
  unreadableTitle: "无法读取这个会话",
  problems: {
    unreachable: "主机没有应答，不知道是否已执行。请重试。",
    unavailable: "主机正在关闭，因此没有执行。请在它恢复后重试。",
    too_large: "消息太长：上限是 1 MiB。请缩短消息，或减少附件。",
    already_resolved: "你的回答没有被采用：此事之前已有结果。",
    action_expired: "你的回答没有被采用：回答时间已过。",
  },
  theme: "主题",
  themes: { system: "跟随系统", light: "浅色", dark: "深色" },
  language: "English",
  languageCode: "EN",
  noTokenTitle: "请打开 npm start 输出的地址",
  noTokenBody:
    "此页面需要主机的访问令牌。在项目中运行 npm start，然后打开它输出的完整地址，包括 # 之后的部分。",
  refusedTitle: "主机拒绝了这个访问令牌",
}

function fieldProblem(problem: FieldProblem): string {
  switch (problem.kind) {
    case "required":
      return "必须填写。"
    case "number":
      return "请填写数字。"
    case "integer":
      return "请填写整数。"
    case "object":
      return "这不是 JSON 对象。"
    case "least":
      return `不能小于 ${problem.limit}。`
    case "most":
      return `不能大于 ${problem.limit}。`
    case "shortest":
      return `至少 ${problem.limit} 个字符。`
    case "longest":
      return `最多 ${problem.limit} 个字符。`
  }
}
