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
  const { write, needs, lists, page, go } = words.shortcutGroups
  type Row = readonly [keys: string, name: string]
  const of = (commands: readonly PaletteCommand[]): Row[] =>
    commands.flatMap(({ keys, label }) => (keys === undefined ? [] : [[keys, label] as const]))
  const groups: readonly (readonly [title: string, rows: readonly Row[]])[] = [
    [
      write,
      [
        ["enter", names.send],
        ["shift+enter", names.line],
        ["alt+enter", names.queue],
        ["mod+enter", names.steer],
        ["Escape", names.stop],
      ],
    ],
    [
      needs,
      [
        ["y", names.approve],
        ["n", names.reject],
        ["e", names.edit],
      ],
    ],
    [
      lists,
      [
        ["j", names.next],
        ["k", names.previous],
      ],
    ],
    [page, [["mod+k", names.palette], ...of(own)]],
    [go, of(panes)],
  ]
  return (
    <Sheet open={open} label={words.shortcuts} onClose={onClose}>
      <div className="border-line flex items-center gap-2 border-b py-2 pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{words.shortcuts}</h2>
        <Button look="bare" onClick={onClose}>
          {words.close}
        </Button>
      </div>
      <div className="thin-scroll gap-x-8 overflow-y-auto px-4 py-3 sm:columns-2">
        {groups
          .filter(([, rows]) => rows.length > 0)
          .map(([title, rows]) => (
            <section key={title} aria-label={title} className="mb-4 break-inside-avoid">
              <h3 className="meta mb-1 font-medium">{title}</h3>
              <dl className="grid grid-cols-[6rem_1fr] items-baseline gap-x-3 gap-y-1">
                {rows.map(([keys, name]) => (
                  <div key={keys} className="col-span-2 grid grid-cols-subgrid">
                    <dt>
                      <Keys keys={keys} />
                    </dt>
                    <dd>{name}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </Sheet>
  )
}
