import { type Visibility, visibilities } from "./action.ts"

/** Whether a result limited to `visibility` may reach this audience. */
export const reaches = (visibility: Visibility, audience: Visibility): boolean =>
  visibilities.indexOf(visibility) <= visibilities.indexOf(audience)

/** The one that fewer may see: a declaration may lower an executor's setting, never raise it. */
export const stricter = (a: Visibility, b: Visibility): Visibility => (reaches(a, b) ? b : a)

/** Privacy outranks visibility: what is private never reaches a model, now or later. */
export const modelMaySee = (of: { private: boolean; visibility: Visibility }): boolean =>
  !of.private && reaches(of.visibility, "model")
