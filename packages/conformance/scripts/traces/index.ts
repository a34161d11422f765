import type { Envelope } from "@factum/facts"
import { artifactLife } from "./artifacts.ts"
import { backgroundTeammate } from "./background.ts"
import { humanAgentBoard } from "./board.ts"
import { delegatedApproval, nestedChildren } from "./children.ts"
import { budgetAndQuota, modelFallback, nineActions, queueAndSteer } from "./control.ts"
import { coordinatorTeam } from "./coordinator.ts"
import { specialistHandoff } from "./handoff.ts"
import {
  batchJob,
  compaction,
  longThread,
  oldSession,
  restart,
  staleSwitch,
  unknownEverything,
} from "./history.ts"
import { remoteTeammate } from "./remote.ts"
import { reviewTeam } from "./review.ts"
import { correctedFinal, failedTools, soloRun, textToolText } from "./solo.ts"
import { parallelWorkers } from "./workers.ts"

type Scenario = { about: string; topology?: string; facts: () => readonly Envelope[] }

/** Every recorded trace: what it is about, and who tells it. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "solo-run": {
    about: "One run with reasoning, tools, an approval, a diff and a verification.",
    topology: "solo_run",
    facts: soloRun,
  },
  "text-tool-text": {
    about: "Text, a call, text, a call, text: five parts in that order.",
    topology: "solo_run",
    facts: textToolText,
  },
  "corrected-final": {
    about: "The final text differs from what was streamed.",
    topology: "solo_run",
    facts: correctedFinal,
  },
  "failed-tools": {
    about: "A call that failed, one that was denied and one that was cancelled with its turn.",
    topology: "solo_run",
    facts: failedTools,
  },
  "queue-and-steer": {
    about: "Turns that wait, one that is promoted, one that is removed, and input for the active run.",
    facts: queueAndSteer,
  },
  "nine-actions": {
    about: "All nine kinds of questions; one is still open, one expired.",
    facts: nineActions,
  },
  "budget-and-quota": {
    about: "A budget that runs low and is spent, and a rate limit before that.",
    facts: budgetAndQuota,
  },
  "model-fallback": { about: "A stream that was cut, and another model that goes on.", facts: modelFallback },
  "artifact-life": {
    about: "Versions, diffs, an export, a failed export and a deletion.",
    facts: artifactLife,
  },
  "coordinator-team": {
    about: "A coordinator with three teammates, their results and the synthesis.",
    topology: "coordinator_team",
    facts: coordinatorTeam,
  },
  "parallel-workers": {
    about: "Four workers, three at once; one fails and the others do not.",
    topology: "parallel_workers",
    facts: parallelWorkers,
  },
  "specialist-handoff": {
    about: "A handoff to a specialist and back.",
    topology: "specialist_handoff",
    facts: specialistHandoff,
  },
  "review-team": {
    about: "A review with requested fixes, and the one that passed.",
    topology: "review_team",
    facts: reviewTeam,
  },
  "human-agent-board": {
    about: "People and agents share a board with claims, comments and blockers.",
    topology: "human_agent_board",
    facts: humanAgentBoard,
  },
  "background-teammate": {
    about: "Work that wakes by schedule, and a teammate that is paused.",
    topology: "background_teammate",
    facts: backgroundTeammate,
  },
  "remote-teammate": {
    about: "A remote agent that needs a sign-in, loses its connection and finishes.",
    topology: "remote_teammate",
    facts: remoteTeammate,
  },
  "delegated-approval": {
    about: "A child asks for a permission and the person sees who asked.",
    facts: delegatedApproval,
  },
  "nested-children": { about: "Children of children of children.", facts: nestedChildren },
  "old-session": { about: "A session of last year, its chunks pruned, opened again.", facts: oldSession },
  "stale-switch": { about: "Two sessions at once, with a hole in one of them.", facts: staleSwitch },
  compaction: { about: "A compaction that failed and one that holds.", facts: compaction },
  restart: { about: "A host that was killed in mid-call.", facts: restart },
  "batch-job": { about: "A job of six items with one failure.", facts: batchJob },
  "unknown-everything": { about: "Classes, words and outcomes that nobody knows.", facts: unknownEverything },
  "long-thread": { about: "Sixty turns and one that waits for its first word.", facts: () => longThread() },
}
