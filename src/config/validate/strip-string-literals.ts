/** An expression without the content of its string literals, for searching names in it. */
export const stripStringLiterals = (expression: string): string => expression.replace(TEXT, '""')

const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g
