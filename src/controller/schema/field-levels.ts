/**
 * Levels that a field of any shape may have: far more than pods, configurations and tokens do. The API server takes
 * 10,000, and what has 2,000 overflows the stack of whoever compares it. What is cut of an object is beyond this.
 */
export const MAX_LEVELS = 100
