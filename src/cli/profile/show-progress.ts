/** Shows how much of a time has passed, on standard error if that is a terminal. */
export const showProgress = (label: string, seconds: number): { readonly stop: () => void } => {
  const { stderr } = process
  if (!stderr.isTTY || seconds === 0) return { stop: () => undefined }
  const start = performance.now()
  const draw = () => {
    const passed = Math.min((performance.now() - start) / 1000, seconds)
    stderr.write(`\r${label} ${progressBar(passed / seconds)} ${passed.toFixed(0)}/${String(seconds)} s`)
  }
  draw()
  const timer = setInterval(draw, 200)
  return {
    stop: () => {
      clearInterval(timer)
      stderr.write('\r\u001b[K')
    },
  }
}

const width = 30

/** `[#####-----]`, by the part that is done, 0 to 1. */
export const progressBar = (part: number): string => {
  const done = Math.round(part * width)
  return `[${'#'.repeat(done)}${'-'.repeat(width - done)}]`
}
