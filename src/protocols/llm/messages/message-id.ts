/** An id for a message whose provider gave none. */
export const messageId = (): string => `msg_${crypto.randomUUID().replaceAll('-', '')}`
