import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** One import or re-export of a source file. */
export interface Import {
  readonly specifier: string
  /** The names it binds by name; none for a namespace, a bare import or `import()`. */
  readonly names: readonly string[]
  /** It is erased when the program runs. `import { type A }` is not: the import stays. */
  readonly typesOnly: boolean
}

/** The properties of a source file for the architecture tests. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly lineCount: number
  readonly imports: readonly Import[]
  readonly hasDefaultExport: boolean
  /** Names that are exported by declaration and have no doc comment. */
  readonly undocumented: readonly string[]
  /** Lines with the type `any`. */
  readonly anyLines: readonly number[]
  /** Lines that subscribe to an observable or create a subject. */
  readonly subscribingLines: readonly number[]
}

/** Reads and parses a file; `text` replaces its content, for planted violations. */
export const readSource = (path: string, text: string = readFileSync(path, 'utf8')): Source => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = { imports: [] as Import[], anyLines: [] as number[], subscribingLines: [] as number[] }
  const lineOf = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1

  const visit = (node: ts.Node): void => {
    const imported = importOf(node)
    if (imported) found.imports.push(imported)
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.anyLines.push(lineOf(node))
    if (subscribes(node)) found.subscribingLines.push(lineOf(node))
    ts.forEachChild(node, visit)
  }
  visit(file)

  return {
    path,
    text,
    lineCount: text.trimEnd().split('\n').length,
    ...found,
    hasDefaultExport: file.statements.some(isDefaultExport),
    undocumented: file.statements.flatMap(undocumentedNames),
  }
}

const importOf = (node: ts.Node): Import | undefined => {
  if (ts.isImportDeclaration(node)) {
    const bindings = node.importClause?.namedBindings
    const names = bindings && ts.isNamedImports(bindings) ? namesOf(bindings.elements) : []
    return made(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword, names)
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const names =
      node.exportClause && ts.isNamedExports(node.exportClause) ? namesOf(node.exportClause.elements) : []
    return made(node.moduleSpecifier, node.isTypeOnly, names)
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return made(node.argument.literal, true)
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return dynamic && node.arguments[0] ? made(node.arguments[0], false) : undefined
}

const made = (specifier: ts.Expression, typesOnly: boolean, names: string[] = []): Import | undefined =>
  ts.isStringLiteral(specifier) ? { specifier: specifier.text, typesOnly, names } : undefined

const namesOf = (elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): string[] =>
  elements.map((element) => (element.propertyName ?? element.name).text)

const subscribes = (node: ts.Node): boolean =>
  ts.isCallExpression(node)
    ? ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'subscribe'
    : ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text.endsWith('Subject')

const modifiersOf = (node: ts.Node) =>
  (ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []).map((m) => m.kind)

const isDefaultExport = (node: ts.Statement): boolean =>
  ts.isExportAssignment(node) ||
  modifiersOf(node).includes(ts.SyntaxKind.DefaultKeyword) ||
  (ts.isExportDeclaration(node) &&
    node.exportClause !== undefined &&
    ts.isNamedExports(node.exportClause) &&
    node.exportClause.elements.some((element) => element.name.text === 'default'))

const undocumentedNames = (node: ts.Statement): string[] => {
  if (!modifiersOf(node).includes(ts.SyntaxKind.ExportKeyword)) return []
  if (ts.getJSDocCommentsAndTags(node).length > 0) return []
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map((d) => d.name.getText())
  const { name } = node as ts.Statement & { readonly name?: ts.Node }
  return [name?.getText() ?? 'default']
}
