import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Sheet } from "../ui/Sheet.tsx"
import { Keys, type PaletteCommand } from "./Palette.tsx"

type Props = {
  open: boolean
  own: readonly PaletteCommand[]
  panes: readonly PaletteCommand[]
  onClose: () => void
}

/** Every key in one list. */
export function CheatSheet({ open, own, panes, onClose }: Props) {
  const words = useWords()
  const names = words.shortcutOf
  const rows: (readonly [string, string])[] = [
    ["mod+k", names.palette],
    ["enter", names.send],
    ["shift+enter", names.line],
    ["alt+enter", names.queue],
    ["mod+enter", names.steer],
    ["Escape", names.stop],
    ["y", names.approve],
    ["n", names.reject],
    ["e", names.edit],
    ["j", names.next],
    ["k", names.previous],
    ...[...own, ...panes].flatMap(({ keys, label }) => (keys === undefined ? [] : [[keys, label] as const])),
  ]
  return (
    <Sheet open={open} label={words.shortcuts} onClose={onClose}>
      <div className="border-line flex items-center gap-2 border-b py-2 pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{words.shortcuts}</h2>
        <Button look="bare" onClick={onClose}>
          {words.close}
        </Button>
      </div>
      <dl className="thin-scroll grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-1.5 overflow-y-auto px-4 py-3">
        {rows.map(([keys, name]) => (
          <div key={keys} className="col-span-2 grid grid-cols-subgrid">
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  )
}
