/** Words of the roster, capsules, board, graph, lanes and transcripts. */
export const en = {}
export const zh: typeof en = {}
