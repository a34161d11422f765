export { validateFact } from "@factum/facts"
