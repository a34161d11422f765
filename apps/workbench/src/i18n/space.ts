/** Words of the artifact workspace, timeline, diagnostics, policy and report. */
export const en = {}
export const zh: typeof en = {}
