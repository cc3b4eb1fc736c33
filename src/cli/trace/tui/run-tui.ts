import type { ReadStream } from 'node:tty'
import type { Observable } from 'rxjs'
import type { TraceEvent } from '../../../model/trace/trace-event.ts'
import { CommandInterruption } from '../../interrupt.ts'
import { TraceGroups } from '../trace-groups.ts'
import { keysOf } from './keys.ts'
import type { TraceScreen } from './screen.ts'
import { suspend } from './suspend.ts'
import type { TuiState } from './tui-state.ts'
import { type TuiAction, type TuiCommand, update } from './update.ts'
import { renderScreen } from './view.ts'

/** What the terminal UI runs on. */
export interface TuiOptions {
  readonly screen: TraceScreen
  readonly input: ReadStream
  readonly events$: Observable<TraceEvent>
  readonly state: TuiState
  readonly signal: AbortSignal
  /** Passes a listener for the connection, which is open or lost. */
  readonly onStream: (listener: (isOpen: boolean) => void) => void
}

/**
 * Shows a trace until the user quits. The terminal is taken once the trace is open, so that a gateway that cannot be
 * reached is an ordinary error, and is restored before the promise settles, in every case.
 */
export const runTui = (options: TuiOptions): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    new TuiSession(options, resolve, reject).start()
  })

/** Between two drawings, so that a fast stream costs little. */
const frameMs = 33

class TuiSession {
  readonly #options: TuiOptions
  readonly #onQuit: () => void
  readonly #onError: (error: unknown) => void
  readonly #groups = new TraceGroups({ maxRequests: 500, maxEvents: 5000 })
  readonly #cleanups: (() => void)[] = []
  #state: TuiState
  #failure: unknown
  #timer: NodeJS.Timeout | undefined
  #hasNewEvents = false
  #isEntered = false
  #isOver = false

  constructor(options: TuiOptions, onQuit: () => void, onError: (error: unknown) => void) {
    this.#options = options
    this.#onQuit = onQuit
    this.#onError = onError
    this.#state = options.state
  }

  start(): void {
    const { signal, events$, onStream } = this.#options
    const onAbort = () => {
      this.#end(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#cleanups.push(() => signal.removeEventListener('abort', onAbort))
    onStream((isOpen) => {
      this.#enter()
      this.#dispatch({ type: 'progress', progress: { type: isOpen ? 'open' : 'reconnecting' } })
    })
    const subscription = events$.subscribe({
      next: (event) => {
        this.#enter()
        this.#groups.add(event)
        this.#hasNewEvents = true
        this.#drawSoon()
      },
      error: (error: unknown) => {
        this.#onFailure(error)
      },
      complete: () => {
        this.#enter()
        this.#takeEvents()
        this.#dispatch({ type: 'progress', progress: { type: 'ended' } })
      },
    })
    this.#cleanups.push(() => {
      subscription.unsubscribe()
    })
    // An observable may fail while it is being subscribed to.
    if (this.#isOver) subscription.unsubscribe()
  }

  #enter(): void {
    if (this.#isEntered || this.#isOver) return
    this.#isEntered = true
    const { screen, input } = this.#options
    const leave = () => {
      screen.leave()
    }
    // The monitor comes before the handler that prints the error, which would vanish with the alternate screen.
    process.once('exit', leave).once('uncaughtExceptionMonitor', leave)
    const onResize = () => {
      screen.clear()
      this.#dispatch({ type: 'resize', size: screen.size })
    }
    const onContinue = () => {
      screen.enter()
      onResize()
    }
    const onStop = () => {
      this.#suspend(process.pid)
    }
    process.stdout.on('resize', onResize)
    process.on('SIGCONT', onContinue).on('SIGTSTP', onStop)
    screen.enter()
    const keys = keysOf(input).subscribe({
      next: (key) => {
        this.#dispatch({ type: 'key', key })
      },
      // The terminal is gone.
      complete: () => {
        this.#end(new CommandInterruption())
      },
    })
    this.#cleanups.push(() => {
      keys.unsubscribe()
      process.stdout.off('resize', onResize)
      process.off('SIGCONT', onContinue).off('SIGTSTP', onStop)
      process.off('exit', leave).off('uncaughtExceptionMonitor', leave)
      leave()
    })
  }

  #dispatch(action: TuiAction): void {
    if (this.#isOver) return
    const { state, command } = update(this.#state, action)
    this.#state = state
    if (command) this.#run(command)
    this.#drawSoon()
  }

  #run(command: TuiCommand): void {
    const { screen } = this.#options
    if (command.type === 'quit') this.#end(this.#failure)
    else if (command.type === 'interrupt') this.#end(new CommandInterruption())
    else if (command.type === 'copy') screen.copy(command.text)
    else if (command.type === 'redraw') screen.clear()
    // All processes that the shell started for this command stop: npx, for example.
    else this.#suspend(0)
  }

  #suspend(pid: number): void {
    const { screen } = this.#options
    screen.leave()
    suspend(pid, () => {
      if (this.#isOver) return
      screen.enter()
      this.#dispatch({ type: 'resize', size: screen.size })
    })
  }

  /** Before the first event a failure ends the command; later what has been seen stays on the screen. */
  #onFailure(error: unknown): void {
    this.#takeEvents()
    if (this.#state.requests.length === 0) {
      this.#end(error)
      return
    }
    this.#failure = error
    const reason = error instanceof Error ? error.message : String(error)
    this.#dispatch({ type: 'progress', progress: { type: 'failed', reason } })
  }

  #takeEvents(): void {
    if (!this.#hasNewEvents) return
    this.#hasNewEvents = false
    const requests = this.#groups.all.toSorted((a, b) => a.number - b.number)
    this.#state = update(this.#state, { type: 'requests', requests, lostEvents: this.#groups.lost }).state
  }

  #drawSoon(): void {
    if (this.#isOver || !this.#isEntered) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#takeEvents()
      this.#options.screen.draw(renderScreen(this.#state))
    }, frameMs)
  }

  #end(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    for (const cleanup of this.#cleanups) cleanup()
    if (error === undefined) this.#onQuit()
    else this.#onError(error)
  }
}
