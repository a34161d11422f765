import type { Envelope, HookEvent, PermissionEvent, SandboxEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { PermissionChangedPayload } from "../../events/index.ts"
import { given } from "./given.ts"
import { event, type Translations } from "./place.ts"
import { diagnostic } from "./process.ts"

export const permissionFrames: Translations<PermissionEvent | SandboxEvent | HookEvent> = {
  "permission.evaluated": (fact) => {
    const { operation, verdict, sources, policy_version } = fact.payload
    return [
      changed(fact, {
        subject: subjectOf(fact, operation.kind, operation.process_id ?? operation.name),
        verdict,
        policyVersion: policy_version,
        explanation: sources.map(({ source, verdict, rule }) => ({ source, verdict, rule })),
      }),
    ]
  },
  "permission.requested": (fact) => {
    const { waits_for, request_id } = fact.payload
    return [
      changed(fact, {
        subject: subjectOf(fact, "permission", request_id),
        approval: "pending",
        escalation: { reason: waits_for, ...given({ actionId: fact.action_id }) },
      }),
    ]
  },
  "permission.resolved": (fact) => {
    const { outcome, reason, policy_version, grant, request_id } = fact.payload
    const waiver = grant && { ref: grant.scope, ...given({ until: grant.expires_at, reason }) }
    return [
      changed(fact, {
        subject: subjectOf(fact, "permission", request_id),
        approval: outcome,
        policyVersion: policy_version,
        ...given({ waiver }),
      }),
    ]
  },
  "sandbox.applied": (fact) => {
    const { process_id, profile, network, in_force, reason, writable } = fact.payload
    return [
      changed(fact, {
        subject: bounded(fact, process_id),
        sandbox: { profile, network, enforced: in_force, roots: writable, ...given({ reason }) },
      }),
    ]
  },
  "sandbox.violation": (fact) => {
    const { process_id, operation, target, prevented } = fact.payload
    const message = `${operation} ${target}: ${prevented === true ? "prevented" : prevented === false ? "not prevented" : "whether it was prevented is unknown"}`
    return [
      changed(fact, {
        subject: bounded(fact, process_id),
        violation: { operation, target, ref: fact.event_id },
      }),
      diagnostic(fact, {
        code: fact.type,
        severity: prevented === true ? "warning" : "error",
        message,
      }),
    ]
  },
  "hook.started": { notShown: "A hook is shown by what it decided." },
  "hook.completed": (fact) => {
    const { hook, verdict, rewrite } = fact.payload
    // A hook that said nothing and changed nothing leaves nothing to see.
    if (verdict === "none" && rewrite === undefined) return []
    const message = rewrite === undefined ? `${hook}: ${verdict}` : `${hook}: ${verdict}, input rewritten`
    return [diagnostic(fact, { code: fact.type, severity: "info", message })]
  },
  "hook.failed": (fact) => {
    const { hook, message, effect } = fact.payload
    const severity = effect === "blocked" ? "error" : "warning"
    return [diagnostic(fact, { code: fact.type, severity, message: `${hook}: ${message}` })]
  },
  "policy.changed": (fact) => {
    const { new_version, mode } = fact.payload
    const of = fact.session_id
    return [
      changed(fact, {
        subject: of === undefined ? { kind: "runtime" } : { kind: "session", id: of },
        policyVersion: new_version,
        ...given({ mode: mode?.new }),
      }),
    ]
  },
}

/** A decision is about a call where there is one. */
const subjectOf = (fact: Envelope, kind: string, id: string) =>
  fact.tool_call_id === undefined ? { kind, id } : { kind: "tool_call", id: fact.tool_call_id }

function bounded(fact: Envelope, process_id: string | undefined) {
  if (fact.tool_call_id !== undefined) return { kind: "tool_call", id: fact.tool_call_id }
  if (process_id !== undefined) return { kind: "process", id: process_id }
  return { kind: "session", ...given({ id: fact.session_id }) }
}

export function changed(fact: Envelope, payload: PermissionChangedPayload): AgentUiEvent {
  return event(
    "permission.changed",
    fact,
    {
      owner: "policy",
      scope:
        fact.tool_call_id !== undefined
          ? "tool_call"
          : fact.session_id === undefined
            ? "application"
            : "session",
      phase: payload.approval === "pending" ? "waiting" : "acting",
      surface: "team_policy",
      persistence: "snapshot",
    },
    payload,
  )
}
