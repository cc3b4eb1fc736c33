import type { TraceGroup } from '../trace-groups.ts'

/** Where the trace is: `failed` has the reason. */
export type TraceProgress =
  | { readonly type: 'connecting' | 'open' | 'reconnecting' | 'ended' }
  | { readonly type: 'failed'; readonly reason: string }

/** The views of a request, in the order of their keys. */
export const tabNames = [
  'Waterfall',
  'Route',
  'Policies',
  'Headers',
  'Attempts',
  'LLM/MCP',
  'Body',
  'Events',
] as const

/** What the terminal UI of a trace shows. Only `update` makes a new one. */
export interface TuiState {
  /** The gateway or the file. */
  readonly title: string
  readonly size: ScreenSize
  /** `--expression`. */
  readonly filter: string | undefined
  /** `--bodies`, or a file, which may have them. */
  readonly hasBodies: boolean
  readonly progress: TraceProgress
  /** The oldest first. */
  readonly requests: readonly TraceGroup[]
  readonly lostEvents: number
  /** All requests, or one of them. */
  readonly screen: 'list' | 'request'
  /** The first screen. */
  readonly startScreen: 'list' | 'request'
  readonly overlay: 'help' | 'curl' | undefined
  /** The number of the selected request. */
  readonly selected: number | undefined
  /** Whether the newest request is selected when it arrives. */
  readonly isFollowing: boolean
  /** Index of {@link tabNames}. */
  readonly tab: number
  /** The first line that is shown. */
  readonly scroll: number
  readonly search: SearchState | undefined
  /** What the last key did. */
  readonly notice: string
}

/** Size of a terminal in cells. */
export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** A search in the lines of a view. */
export interface SearchState {
  readonly text: string
  readonly isTyping: boolean
  /** The line that was found last. */
  readonly foundAt: number | undefined
}

/** The state at the start: one request opens by itself, of several there is a list. */
export const initialTuiState = (
  options: Pick<TuiState, 'title' | 'size' | 'filter' | 'hasBodies' | 'startScreen'>,
): TuiState => ({
  ...options,
  screen: options.startScreen,
  progress: { type: 'connecting' },
  requests: [],
  lostEvents: 0,
  overlay: undefined,
  selected: undefined,
  isFollowing: true,
  tab: 0,
  scroll: 0,
  search: undefined,
  notice: '',
})

/** The request that is selected. */
export const selectedRequest = ({ requests, selected }: TuiState): TraceGroup | undefined =>
  requests.find(({ number }) => number === selected)
