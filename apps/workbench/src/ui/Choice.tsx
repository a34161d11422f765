import { useId } from "react"

/** One of a few, as joined buttons; the arrows move between them, as between radio buttons. */
export function Choice<K extends string>({
  label,
  chosen,
  options,
  onChoose,
}: {
  label: string
  chosen: K
  options: Readonly<Record<K, string>>
  onChoose: (key: K) => void
}) {
  const name = useId()
  const keys = Object.keys(options) as K[]
  return (
    <fieldset className="border-edge flex overflow-hidden rounded-md border">
      <legend className="sr-only">{label}</legend>
      {keys.map((key) => (
        <label
          key={key}
          className="meta has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-accent border-line cursor-pointer border-l px-2 py-0.5 first:border-l-0 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2"
        >
          <input
            type="radio"
            name={name}
            value={key}
            checked={key === chosen}
            onChange={() => onChoose(key)}
            className="sr-only"
          />
          {options[key]}
        </label>
      ))}
    </fieldset>
  )
}
