/** Words of the first page. What a demonstration says is what its scene in the demo script listens for. */
export const en = {
  title: "What should be done?",
  body: "Write it below. The session gets its own tab and address, and everything in it is kept.",
  demoTitle: "Scripted demonstrations",
  demoBody:
    "No model is connected, so a script answers. The tools, the sandbox and the approvals are real, and each demonstration works on its own copy of a sample project, never on yours.",
  demos: [
    { say: "A long answer", about: "Text that streams: scroll, stop it, or send a second message meanwhile" },
    {
      say: "Fix the failing login test",
      about: "Files read, an edit and a test run that wait for your approval",
    },
    { say: "Plan a limit on failed logins", about: "A plan that waits for your decision" },
    {
      say: "Write a report on the login check",
      about: "An artifact with two versions, to preview and compare",
    },
    { say: "Let two agents review the login check", about: "Two agents at the same time, in team and graph" },
  ],
  connectTitle: "To connect a model",
  connectBody:
    "Name it under “model” in factum.config.json, give its key in the environment, and start again.",
  connectOwn:
    "A server that speaks OpenAI's API, such as Ollama or vLLM, goes under “providers”, and needs no key.",
  provider: "Provider",
  model: "“model” begins with",
  key: "Key in the environment",
}

export const zh: typeof en = {
  title: "要做什么？",
  body: "写在下面。会话有自己的标签页和地址，其中的一切都会保留。",
  demoTitle: "按脚本的演示",
  demoBody:
    "还没有连接模型，由脚本作答。工具、沙箱和审批都是真的；每个演示只在示例项目的副本里工作，不会动你的项目。",
  demos: [
    { say: "来一段长的", about: "逐字流出的回答：可以滚动、停止，或者同时再发一条" },
    { say: "修好失败的登录测试", about: "读文件；修改文件和运行测试会等你许可" },
    { say: "为登录失败次数做一个计划", about: "一份等你决定的计划" },
    { say: "写一份登录检查的报告", about: "有两个版本的产物，可以预览和比较" },
    { say: "让两个智能体审查登录检查", about: "两个智能体同时工作，见团队和委派图" },
  ],
  connectTitle: "连接模型",
  connectBody: "在 factum.config.json 的“model”里写明模型，在环境变量里提供密钥，然后重新启动。",
  connectOwn: "支持 OpenAI 接口的服务（例如 Ollama 或 vLLM）写在“providers”里，不需要密钥。",
  provider: "模型服务",
  model: "“model”的开头",
  key: "环境变量中的密钥",
}
