import { readFileSync } from 'node:fs'

/** One measured figure beside its budget. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly note?: string
}

const budgets = JSON.parse(readFileSync(new URL('../budgets.json', import.meta.url), 'utf8')) as Record<
  string,
  number
>

/** Prints the figures as a table and returns whether all are within their budgets. */
export const report = (figures: readonly Figure[]): boolean => {
  let within = true
  for (const { name, value, unit, note = '' } of figures) {
    const budget = budgets[name]
    const over = budget !== undefined && value > budget
    if (over) within = false
    const limit = budget === undefined ? '' : `≤ ${budget}`
    console.log(
      [
        name.padEnd(44),
        format(value).padStart(10),
        unit.padEnd(10),
        limit.padEnd(10),
        over ? 'OVER' : '',
        note,
      ].join(' '),
    )
  }
  return within
}

const format = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

/** The median. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
