import { z } from "zod"
import { defineTool, failed } from "./define.ts"

/** The value goes from the person to the runtime's keeping and from there to processes; no fact ever has it. */
export const requestCredential = defineTool({
  name: "request_credential",
  description:
    "Asks the person for a secret such as an access token. You never see it: commands find it in the variable named.",
  input: z.strictObject({
    name: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{1,63}$/, "a variable's name has capital letters, digits and _")
      .describe("The environment variable that commands will find it in."),
    purpose: z.string().min(1).max(2_000),
  }),
  effect: "none",
  side_effects: [],
  capabilities: ["human"],
  touches: async () => [],
  asks({ name, purpose }) {
    if (dangerous.test(name))
      return failed("invalid_args", `${name} decides how commands run, so it holds no credential.`)
    return {
      action_type: "credential_request",
      title: `Give ${name} to the commands of this session?`,
      detail: purpose,
      policy_scope: name,
      risk: "high",
      decisions: [
        { id: "provide", label: "Provide", effect: "allow" },
        { id: "decline", label: "Do not provide", effect: "deny" },
      ],
    }
  },
  run: async () => failed("tool_error", "Nobody can be asked here."),
})

/** Variables by which a value would become a program, a library or an option. */
const dangerous =
  /^(?:PATH|HOME|SHELL|ENV|BASH_ENV|IFS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|NODE_OPTIONS|(?:LD|DYLD|GIT|PERL|PYTHON|RUBY|JAVA|NPM_CONFIG)_\w*|PERL5\w*|RUBYOPT|FACTUM_\w*)$/
