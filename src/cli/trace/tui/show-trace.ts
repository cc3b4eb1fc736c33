import { openSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { interruptible } from '../../interrupt.ts'
import type { DividedArguments } from '../../trailing-arguments.ts'
import { openTrace } from '../open-trace.ts'
import { planTrace, type TraceOptions } from '../trace-options.ts'
import { runTui } from './run-tui.ts'
import { TraceScreen } from './screen.ts'
import { initialTuiState } from './tui-state.ts'

/** `agctl proxy trace` in a terminal: shows the requests until the user quits. */
export const showTrace = async (options: TraceOptions, args: DividedArguments): Promise<void> => {
  const plan = planTrace(options, args)
  let onOpen: (isOpen: boolean) => void = () => undefined
  // Before there is anything to undo: a cluster that does not respond must not keep Ctrl-C from ending the program.
  const { name, events$ } = await openTrace(options, plan, (state) => {
    onOpen(state === 'open')
  })
  await interruptible(async (signal) => {
    const { file, expression, follow = false, bodies = false } = options
    const input = process.stdin.isTTY ? process.stdin : new ReadStream(openSync('/dev/tty', 'r'))
    const screen = new TraceScreen(input, process.stdout, hasColor())
    const hasMany = follow || file !== undefined || (plan.count ?? 1) > 1
    const state = initialTuiState({
      title: name,
      size: screen.size,
      filter: expression,
      hasBodies: bodies || file !== undefined,
      startScreen: hasMany ? 'list' : 'request',
    })
    try {
      await runTui({
        screen,
        input,
        events$,
        state,
        signal,
        onStream: (listener) => {
          onOpen = listener
        },
      })
    } finally {
      if (input !== process.stdin) input.destroy()
    }
  })
}

/** https://no-color.org: any value but an empty one. */
const hasColor = (): boolean => !process.env.NO_COLOR && process.stdout.hasColors()
