export function buildWorkbench(node: string, options?: { force?: boolean }): boolean
