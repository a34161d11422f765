import {
  controls,
  owners,
  persistences,
  phases,
  runtimeEntities,
  scopes,
  surfaces,
  topologies,
} from "./taxonomy.ts"

/** How a field is checked: by its name, wherever it stands, except inside what is free in form. */
export type FieldKind =
  | "text"
  | "number"
  | "flag"
  | "record"
  | "texts"
  | "records"
  | "preview"
  | "either"
  | "verdict"
  | "free"

const named: Partial<Record<FieldKind, string>> = {
  text:
    "type timestamp sessionId threadId runId turnId messageId partId taskId agentId parentSessionId " +
    "parentThreadId toolCallId actionId artifactId evidenceId owner scope phase surface persistence control topology " +
    "title status cursor blockedReason earlier detail reason runtimeStatus runtimeEntity nextTryAt teamPhase " +
    "providerConcurrencyGroup queueReason outcome bookmark category message next diagnosticsRef planId delta text role " +
    "clientId finish summary encryptedRef author purpose diagnosticId code severity ref name unit toolName source " +
    "sideEffect inputRef stepId note outputRef channel path change diffRef actionType label description risk " +
    "policyScope versionId expiresAt decision decidedBy queuedTurnId mediaType previewRef bodyRef " +
    "fromVersionId toVersionId exportId exportRef exportFormat handoff boundaryId summaryRef mode policyVersion " +
    "verdict approval locked sourceRef digest objective blocker waitingFor parentTaskId attemptId delivery schedule " +
    "wakeReason nextWakeAt lastRunRef currentRunId remoteTaskId remoteStatus cardRef needs workItemId agentName " +
    "teamName color avatar model isolation latestTurnStatus spawnReason childSessionId childThreadId transcriptRef " +
    "resultRef connection teamId coordinatorId handoffId resumeTarget memoryBoundary acceptedAt notificationId reviewId " +
    "reviewer links profile network rule sourceId citation currency refKind createdAt operation op kind id at",
  number:
    "queuedTurnCount attempt teamParallelBudget teamActiveCount teamQueuedCount providerParallelBudget count " +
    "step limit durationMs bytes added position tokens score inputTokens outputTokens cost toolCount " +
    "openActions attempts percent queued active precedence",
  flag:
    "pinned retryable retryableOverload visible complete sensitive preliminary cancelled denied truncated low " +
    "blocking failed planMode enforced deleted recoverable paused idleTick human selected resolved",
  record:
    "window queueCounts failure requestedBy respondTo plan grant steer budget subject sandbox violation " +
    "escalation waiver retention usage synthesis assignee range progress left",
  texts:
    "checkpoints outputRefs keptRefs warnings notes artifactRefs evidenceRefs dependencies linked unlinked waitsFor capabilities " +
    "requestedFixes roots taskIds",
  records:
    "files options turns selection retrieval teamMemory explanation versions comments roster board messages " +
    "affected parts inputs steps",
}
export const fieldKinds: ReadonlyMap<string, FieldKind> = new Map([
  ...Object.entries(named).flatMap(([kind, names]) =>
    names.split(" ").map((name): [string, FieldKind] => [name, kind as FieldKind]),
  ),
  ["input", "preview"],
  ["preview", "preview"],
  // Words that mean one thing in one class and another in the next.
  ...[
    "unread",
    "version",
    "from",
    "to",
    "priority",
    "done",
    "total",
    "used",
    "reserved",
    "sequence",
    "removed",
    "value",
  ].map((name): [string, FieldKind] => [name, "either"]),
  ["success", "verdict"],
  ["validationIssues", "verdict"],
  ...["state", "patch", "schema", "policy", "resume", "target", "memory", "missing"].map(
    (name): [string, FieldKind] => [name, "free"],
  ),
])

/** What such a word means in a class: it is read like the field named here, or is any record. */
export const readAs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "context.changed": "missing selection memory plan",
    "context.compaction.started": "resume record",
    "context.compaction.completed": "resume record",
    "team.changed": "memory teamMemory policy record",
    "evidence.changed": "missing notes target plan",
    "review.requested": "target plan",
    "review.completed": "target plan",
    "queue.changed": "policy mode",
    "agent.changed": "policy mode",
    "agent.spawned": "policy mode",
    "agent.completed": "policy mode",
    "agent.handoff": "from mode to mode",
  }).flatMap(([type, pairs]) =>
    [...pairs.matchAll(/(\w+) (\w+)/g)].map(([, name, like = ""]): [string, string] => [
      `${type} ${name}`,
      like,
    ]),
  ),
)

/** What an element of a list cannot do without. */
export const elementIds: ReadonlyMap<string, string> = new Map([
  ["turns", "queuedTurnId"],
  ["options", "id"],
  ["selection", "id"],
  ["retrieval", "sourceId"],
  ["teamMemory", "ref"],
  ["versions", "versionId"],
  ["roster", "agentId"],
  ["board", "workItemId"],
  ["messages", "messageId"],
  ["files", "path"],
  ["steps", "title"],
])

/** The fields whose values are listed. */
export const listedValues: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries<readonly string[]>({
    owner: owners,
    scope: scopes,
    phase: phases,
    surface: surfaces,
    persistence: persistences,
    control: controls,
    topology: topologies,
    runtimeEntity: runtimeEntities,
  }).map(([name, values]) => [name, new Set(values)]),
)

/** The envelope's fields, in the order of the specification. */
export const envelopeFields =
  `type sequence timestamp sessionId threadId runId turnId messageId partId taskId agentId
  parentSessionId parentThreadId toolCallId actionId artifactId evidenceId owner scope phase surface persistence control
  topology payload refs rawEventRef`.split(/\s+/)
