/** One update a frame; a hidden page has no frames, so a timer stands in. */
export function perFrame(flush: () => void): void {
  if (document.hidden) setTimeout(flush, 100)
  else requestAnimationFrame(flush)
}
