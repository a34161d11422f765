/** Nothing may be asked of any address, run, sent or embedded; only what is in the text itself is drawn. */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ")

/** A page for a frame without any right: the policy comes before the first byte that somebody else wrote. */
export const isolatedPage = (html: string): string =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer">${html}`
