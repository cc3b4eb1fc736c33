/** An expression without the content of its string literals, to search for names in it. */
export const stripStringLiterals = (expression: string): string => expression.replace(TEXT, '""')

const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g
