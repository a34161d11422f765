const english = {
  waits: "waits for you",
  allow: "Allow it? [y]es / [n]o / [e]xplain why not, then Enter:",
  letters: "Type y, n or e, then press Enter.",
  nothingWaits: "Nothing waits for you.",
  noTokens: "No tokens were issued.",
  choose: "Choose a number or a letter",
  explain: "What should it do instead? ",
  answerHere: "Your answer: ",
  allowed: "allowed",
  refused: "refused",
  interrupting: "Interrupting; press Ctrl-C again to leave it running.",
  detached: "Left it running. Come back with:",
  later: "Nobody is here to answer. Answer with:",
  sample: "No model is configured: the scripted demo answers, and works on copies of its sample in",
  stuck: "It cannot go on by itself.",
  mended: "Once that is mended, go on with:",
  lost: "The host does not answer; trying again.",
  back: "The host answers again.",
  working: "working",
  done: "done",
  failed: "failed",
  cancelled: "stopped",
  output_limit: "The answer was cut off at the model's output limit.",
  content_filter: "The provider withheld the answer.",
  noSessions: 'There are no sessions yet. Begin with: factum run "<task>"',
}
export type Word = keyof typeof english

const chinese: Record<Word, string> = {
  waits: "在等你",
  allow: "允许吗？[y] 允许 / [n] 拒绝 / [e] 说明理由，然后按回车：",
  letters: "请输入 y、n 或 e，然后按回车。",
  nothingWaits: "没有等待你的事项。",
  noTokens: "还没有签发令牌。",
  choose: "请输入数字或字母",
  explain: "应该怎么做？",
  answerHere: "你的回答：",
  allowed: "已允许",
  refused: "已拒绝",
  interrupting: "正在中断；再按一次 Ctrl-C 则离开，任务继续运行。",
  detached: "任务仍在运行。回来请用：",
  later: "没有人可以回答。请用下面的命令回答：",
  sample: "没有配置模型：由脚本演示模型回答，它在示例的副本中工作：",
  stuck: "任务无法自行继续。",
  mended: "解决之后，请用下面的命令继续：",
  lost: "主机没有应答，正在重试。",
  back: "主机恢复应答。",
  working: "进行中",
  done: "完成",
  failed: "失败",
  cancelled: "已停止",
  output_limit: "模型的回答达到输出上限，被截断了。",
  content_filter: "模型服务没有给出这个回答。",
  noSessions: '还没有会话。开始：factum run "<任务>"',
}

type Surroundings = Readonly<Record<string, string | undefined>>

/** The language of the terminal, as POSIX says it. */
export const isChinese = (env: Surroundings = process.env): boolean =>
  /^zh/i.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || "")

export const say = (word: Word, env: Surroundings = process.env): string =>
  (isChinese(env) ? chinese : english)[word]
