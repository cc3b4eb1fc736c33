/** Keeps a daemon busy: from SIGUSR2 to the next its event loop is late by 80 ms, turn after turn. */
const LATE_MS = 80
let isBusy = false

const turn = (): void => {
  if (!isBusy) return
  const until = performance.now() + LATE_MS
  while (performance.now() < until);
  setImmediate(turn)
}

process.on('SIGUSR2', () => {
  isBusy = !isBusy
  console.log(isBusy ? 'busy' : 'idle')
  turn()
})
