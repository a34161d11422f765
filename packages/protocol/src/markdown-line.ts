/** One line of Markdown that is read from left to right. A tab goes to the next fourth column, and may be half read. */
export class MarkdownLine {
  readonly text: string
  /** Where the reading is: the character, and the column that it stands in. */
  at = 0
  column = 0
  /** The first character from here that is no space. */
  next = 0
  #nextColumn = 0
  #splitTab = false

  constructor(text: string) {
    this.text = text
    this.#look()
  }

  /** How many columns of space come next. */
  get indent(): number {
    return this.#nextColumn - this.column
  }

  /** Four columns and more make code of what is no paragraph. */
  get indented(): boolean {
    return this.indent >= 4
  }

  get blank(): boolean {
    return this.next >= this.text.length
  }

  /** The text after the space that comes next. */
  get rest(): string {
    return this.text.slice(this.next)
  }

  /** What is left of the line, with the columns of a half read tab as spaces. */
  get left(): string {
    if (!this.#splitTab) return this.text.slice(this.at)
    return " ".repeat(4 - (this.column % 4)) + this.text.slice(this.at + 1)
  }

  get startsWithSpace(): boolean {
    return isSpace(this.text.charCodeAt(this.at))
  }

  skipSpace(): void {
    this.at = this.next
    this.column = this.#nextColumn
    this.#splitTab = false
  }

  skipCharacters(count: number): void {
    for (let left = count; left > 0 && this.at < this.text.length; left--) {
      this.column += this.text.charCodeAt(this.at) === tab ? 4 - (this.column % 4) : 1
      this.at++
    }
    this.#splitTab = false
    if (this.next < this.at) this.#look()
  }

  skipColumns(count: number): void {
    for (let left = count; left > 0 && this.at < this.text.length; ) {
      const wide = this.text.charCodeAt(this.at) === tab ? 4 - (this.column % 4) : 1
      this.#splitTab = wide > left
      this.column += Math.min(wide, left)
      if (!this.#splitTab) this.at++
      left -= wide
    }
    if (this.next < this.at) this.#look()
  }

  /** One column of space, if there is any. */
  skipOneSpace(): void {
    if (this.startsWithSpace) this.skipColumns(1)
  }

  #look(): void {
    let { at, column } = this
    for (let code = this.text.charCodeAt(at); isSpace(code); code = this.text.charCodeAt(++at))
      column += code === tab ? 4 - (column % 4) : 1
    this.next = at
    this.#nextColumn = column
  }
}

const tab = 9
const isSpace = (code: number): boolean => code === 32 || code === tab
