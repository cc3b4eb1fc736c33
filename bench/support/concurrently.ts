const AT_ONCE = 32

/** Does something with each item, with a bounded number at a time. */
export const concurrently = async <T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> => {
  const left = items.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await act(item)
    }),
  )
}
