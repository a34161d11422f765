// Looks at the turn until it is told to stop.
setInterval(() => {}, 1_000)
