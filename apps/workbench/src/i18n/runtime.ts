type Said = Readonly<Record<string, string>>
type Phrases = readonly (readonly [RegExp, string])[]
type Runtime = {
  /** Known causes in the page's words; a cause that is not here shows its own name. */
  causes: Said
  nextSteps: Said
  /** Refusals that the page has its own words for. */
  problems: Said
  /** Why a call ended without a result. */
  failures: Said
  /** What the runtime says while it works, for the languages that have their own words for it. */
  runtimeSays: Said
  /** The same for what has a name in it. */
  runtimePhrases: Phrases
}

export const en: Runtime = {
  causes: {
    provider_error: "The model provider failed",
    rate_limited: "The model provider asks to wait",
    cut_stream: "The model's answer was cut off",
    malformed: "The model's answer could not be read",
    output_limit: "The model's answer was cut off at its output limit",
    content_filter: "The provider withheld the answer",
    interrupted: "Stopped",
    runtime_restart: "The host restarted while this ran",
    time_limit: "Out of time",
    write_failed: "The log could not be written",
  },
  nextSteps: {
    provider_error: "Ask again. If it fails again, check the provider.",
    rate_limited: "Wait a moment, then ask again.",
    cut_stream: "Ask again.",
    malformed: "Ask again, or put it in other words.",
    content_filter: "Ask in other words, or choose another model.",
    runtime_restart: "What had arrived is kept. Ask again to go on.",
    time_limit: "Ask for less at once, then ask again.",
    write_failed: "Free space in the data folder, then ask again.",
  },
  problems: {
    unreachable: "The host did not answer, so it is not known whether this was done. Try again.",
    unavailable: "The host answered that it does not do this now, so nothing was done.",
    too_large: "The message is too long: the limit is 1 MiB. Shorten it, or attach less.",
    already_resolved: "Your answer was not taken: this had been settled before.",
    action_expired: "Your answer was not taken: the time for it is over.",
    no_port: "This host does not offer it.",
    no_target: "What this was about is gone.",
    not_open: "This is settled already.",
    not_offered: "This request does not offer that answer.",
    outcome_unknown: "It is not known whether this was done. Look before you try again.",
  },
  failures: {
    invalid_args: "The input does not fit",
    unknown_tool: "No such tool",
    permission_denied: "Not allowed",
    sandbox_violation: "Stopped by the sandbox",
    hook_blocked: "Blocked by a hook",
    tool_error: "The tool failed",
    time_limit: "Out of time",
    interrupted: "Stopped",
    runtime_restart: "The host restarted while this ran",
    outcome_unknown: "Outcome unknown",
  },
  runtimeSays: {},
  runtimePhrases: [],
}

export const zh: Runtime = {
  causes: {
    provider_error: "模型服务出错",
    rate_limited: "模型服务要求稍候",
    cut_stream: "模型的回答中断了",
    malformed: "无法读取模型的回答",
    output_limit: "模型的回答达到输出上限，被截断了",
    content_filter: "模型服务没有给出这个回答",
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
    content_filter: "请换一种说法，或选用其他模型。",
    runtime_restart: "已收到的内容都保留着。重新提问即可继续。",
    time_limit: "请减少一次要做的事，然后重新提问。",
    write_failed: "请在数据目录中腾出空间，然后重新提问。",
  },
  problems: {
    unreachable: "主机没有应答，不知道是否已执行。请重试。",
    unavailable: "主机答复现在不执行此操作，因此什么也没有做。",
    too_large: "消息太长：上限是 1 MiB。请缩短消息，或减少附件。",
    already_resolved: "你的回答没有被采用：此事之前已有结果。",
    action_expired: "你的回答没有被采用：回答时间已过。",
    no_port: "此主机不提供这项操作。",
    no_target: "操作的对象已不存在。",
    not_open: "此事已处理完毕。",
    not_offered: "这个请求不接受这种回答。",
    outcome_unknown: "不知道是否已执行。请先查看，再决定是否重试。",
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
    "The model came to the limit of its output before its answer was complete.":
      "模型还没有答完就达到了输出上限。",
    "The model came to the limit of its output before its answer was complete. Of the calls that it asked for, none was executed.":
      "模型还没有答完就达到了输出上限。它要求的调用都没有执行。",
    "The provider's content filter withheld the answer, or the rest of it.":
      "模型服务的内容过滤拦下了这个回答，或它余下的部分。",
    "The provider's content filter withheld the answer, or the rest of it. Of the calls that it asked for, none was executed.":
      "模型服务的内容过滤拦下了这个回答，或它余下的部分。它要求的调用都没有执行。",
    "Ask it to go on, or raise output_tokens of the model.": "让它继续，或调高该模型的 output_tokens。",
    "Ask for less at once, or raise output_tokens of the model.":
      "请减少一次要做的事，或调高该模型的 output_tokens。",
  },
  runtimePhrases: [
    [/^Allow (\S+)\?$/, "允许 $1？"],
    [/^A person said no\. (.+)$/s, "有人拒绝了：$1"],
    [/^Denied by (.+)\.$/, "被拒绝，依据：$1。"],
    [/^it reads (.+)$/, "它会读取 $1"],
    [/^it writes (.+)$/, "它会写入 $1"],
    [/^it deletes (.+)$/, "它会删除 $1"],
    [/^it speaks with an unknown host$/, "它会访问未知的主机"],
    [/^it speaks with (.+)$/, "它会访问 $1"],
    [/^it does (.+)$/, "它会执行 $1"],
    [/^it is not known to look only$/, "不能确定它只是查看"],
    [/^it cannot be read: (.+)$/, "无法读懂它：$1"],
    [/^which file it (?:reads|writes|deletes) cannot be told$/, "无法得知它涉及哪个文件"],
    [/^(.+) is protected$/, "$1 受保护"],
    [/^(.+) is outside the workspace$/, "$1 在工作区之外"],
    [/^(.+) may hold keys$/, "$1 可能含有密钥"],
    [/^This turn has no tool (.+)\.$/, "这一回合没有工具 $1。"],
    [/^The tool (.+) is no longer there\.$/, "工具 $1 已不存在。"],
    [/^It took longer than (\d+) ms\.$/, "超过了 $1 毫秒。"],
  ],
}
