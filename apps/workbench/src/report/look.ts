/** How a report looks, on a screen and on paper. */
export const look = `
:root { color-scheme: light dark; }
body { font: 14px/20px system-ui, "Noto Sans CJK SC", sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 20px; } h2 { font-size: 16px; border-bottom: 1px solid; padding-bottom: 4px; margin-top: 2rem; }
h3 { font-size: 14px; margin: 1rem 0 0; } time, header p { font-size: 12px; font-weight: normal; opacity: 0.75; }
.said { white-space: pre-wrap; } pre, code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } th, td { border-bottom: 1px solid #8886; padding: 4px 8px; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } td pre { margin: 0; max-height: 20rem; overflow: auto; }
@media print { body { margin: 0; max-width: none; } article, tr { break-inside: avoid; } }
`
