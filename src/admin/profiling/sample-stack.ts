/**
 * Describes the stack of the calling thread: a line for each frame, innermost first, with name, script, line, column
 * and first line of the function, separated by tabs. The innermost frame is that of the caller.
 *
 * Runs on the profiled thread from its source text, wherever that thread was interrupted. It must therefore refer to
 * globals only, and leave no trace.
 */
export function sampleStack(): string {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- put back, never called
  const { prepareStackTrace, stackTraceLimit } = Error
  const target: { stack?: string } = {}
  try {
    Error.stackTraceLimit = 128
    Error.prepareStackTrace = (_, sites: (NodeJS.CallSite & { getEnclosingLineNumber(): number })[]) => {
      let text = ''
      for (const site of sites) {
        const name = site.getFunctionName() ?? ''
        const start = site.getEnclosingLineNumber()
        text += `${name}\t${site.getFileName() ?? ''}\t${site.getLineNumber() ?? 0}\t${site.getColumnNumber() ?? 0}\t${start}\n`
      }
      return text
    }
    Error.captureStackTrace(target, sampleStack)
    return target.stack ?? ''
  } finally {
    Error.prepareStackTrace = prepareStackTrace
    Error.stackTraceLimit = stackTraceLimit
  }
}
