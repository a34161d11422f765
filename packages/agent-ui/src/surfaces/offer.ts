import type { AvailablePorts, PortName } from "../ports.ts"
import { type Control, controlPorts } from "../taxonomy.ts"
import type { Reason } from "../words.ts"
import type { ControlView } from "./view.ts"

/** Whether there is something to act on, and which ports would take it; any of the control's own when none is named. */
export type Aim = { found: boolean; via: readonly PortName[] }
export type Aims = Readonly<Partial<Record<Control, Aim>>>
export const aim = (found: boolean, ...via: PortName[]): Aim => ({ found, via })

/** Aims at what any of these rows offers. */
export const aimIn =
  (rows: readonly { controls: readonly ControlView[] }[]) =>
  (control: Control, ...via: PortName[]): Aim =>
    aim(
      rows.some(({ controls }) => controls.some((one) => one.control === control && one.enabled)),
      ...via,
    )

export function offer(
  controls: readonly Control[],
  ports: AvailablePorts,
  aims: Aims,
  held?: Reason,
): ControlView[] {
  return controls.map((control) => {
    const reason = obstacle(control, ports, aims[control], ports.held ?? held)
    return reason ? { control, enabled: false, reason } : { control, enabled: true }
  })
}

function obstacle(control: Control, ports: AvailablePorts, at?: Aim, held?: Reason): Reason | undefined {
  const able: readonly PortName[] = at?.via.length ? at.via : controlPorts[control]
  if (!able.some((port) => ports.has(port))) return "no_port"
  if (!at?.found) return "no_target"
  // Looking is always allowed; only a write waits until what it rests on is known again.
  return control === "open_detail" ? undefined : held
}
