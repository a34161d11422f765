/** Some browsers have no desktop notifications. */
export const canNotify = (): boolean => typeof Notification === "function"

export async function askToNotify(): Promise<boolean> {
  try {
    return canNotify() && (await Notification.requestPermission()) === "granted"
  } catch {
    return false
  }
}

export function notify(title: string, tag: string): void {
  if (!canNotify() || Notification.permission !== "granted") return
  try {
    new Notification(title, { tag })
  } catch {
    // Chrome on Android lets only a service worker show them; the title of the tab still counts.
  }
}
