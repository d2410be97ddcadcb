// Refuses in kernel files what asc and tsc both accept but compute differently, and what only one of them knows.
// The rules and their reasons are in ARCHITECTURE.md, "The portable subset".
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { filesBelow, formats } from './folders.mjs'

const K = ts.SyntaxKind
/** Operators whose result is a signed 32-bit number in JavaScript. */
const signed = new Set([
  K.BarToken,
  K.CaretToken,
  K.LessThanLessThanToken,
  K.AmpersandToken,
  K.GreaterThanGreaterThanToken,
])
const banned = new Set([
  K.SlashToken,
  K.AsteriskToken,
  K.AsteriskAsteriskToken,
  K.PercentToken,
  K.SlashEqualsToken,
  K.AsteriskEqualsToken,
  K.PercentEqualsToken,
  K.BarEqualsToken,
  K.CaretEqualsToken,
  K.AmpersandEqualsToken,
  K.LessThanLessThanEqualsToken,
  K.GreaterThanGreaterThanEqualsToken,
  K.GreaterThanGreaterThanGreaterThanEqualsToken,
  K.EqualsEqualsToken,
  K.ExclamationEqualsToken,
])
const types = new Set(['u32', 'bool', 'void'])
const inner = (node) => (ts.isParenthesizedExpression(node) ? inner(node.expression) : node)
const outer = (node) => (ts.isParenthesizedExpression(node.parent) ? outer(node.parent) : node)

/** True where the sign of `node` cannot matter: under `>>> n`, in a wider signed expression that is, or compared with 0. */
function signIsDropped(node) {
  const self = outer(node)
  const up = self.parent
  if (!ts.isBinaryExpression(up)) return false
  const op = up.operatorToken.kind
  if (op === K.GreaterThanGreaterThanGreaterThanToken) return up.left === self
  if (signed.has(op)) return signIsDropped(up) || (op === K.AmpersandToken && isSmallMask(up))
  return (
    (op === K.EqualsEqualsEqualsToken || op === K.ExclamationEqualsEqualsToken) && inner(up.right).getText() === '0'
  )
}
/** Constants of assembly/abi that a mask with cannot be negative. */
const smallConstants = new Set(
  filesBelow('assembly/abi').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/export const (\w+): u32 = (0x[\da-f]+|\d+)\n/gi)]
      .filter(([, , value]) => Number(value) <= 0x7fffffff)
      .map(([, name]) => name),
  ),
)
const isSmall = (node) => {
  const value = inner(node)
  return ts.isNumericLiteral(value) ? Number(value.text) <= 0x7fffffff : smallConstants.has(value.getText())
}
const isSmallMask = (node) => isSmall(node.left) || isSmall(node.right)

export function checkText(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
  const found = []
  const say = (node, message) => {
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart())
    found.push(`${file}:${line + 1}:${character + 1} ${message}`)
  }
  const visit = (node) => {
    if (ts.isDecorator(node)) say(node, 'no decorators: esbuild refuses them on functions')
    if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node)) {
      say(node, 'no casts: nothing happens in JavaScript')
    }
    if (ts.isClassDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
      say(node, 'no classes and no closures')
    }
    if (ts.isStringLiteral(node) && !ts.isImportDeclaration(node.parent) && !ts.isExportDeclaration(node.parent)) {
      say(node, 'no strings')
    }
    if (ts.isVariableDeclaration(node) && !node.type) say(node, 'every variable says u32 or bool')
    if (ts.isParameter(node) && !node.type) say(node, 'every parameter says u32 or bool')
    if (ts.isFunctionDeclaration(node) && !node.type) say(node, 'every function says what it returns')
    if (ts.isVariableStatement(node) && node.parent === source && !(node.declarationList.flags & ts.NodeFlags.Const)) {
      say(node, 'no state: a module-level name is const')
    }
    if (ts.isTypeReferenceNode(node) && !types.has(node.getText())) say(node, 'only u32, bool and void')
    if (ts.isPrefixUnaryExpression(node) && (node.operator === K.TildeToken || node.operator === K.MinusToken)) {
      say(node, 'no ~ and no unary minus')
    }
    if (ts.isCallExpression(node) && /^(load|store|memory|unchecked|changetype)$/.test(node.expression.getText())) {
      say(node, 'memory is read and written through lib/mem')
    }
    if (ts.isBinaryExpression(node)) {
      const op = node.operatorToken.kind
      if (banned.has(op)) say(node, 'operator not portable: shift for halves, mul() of lib/mem, ===, plain assignment')
      else if (op === K.GreaterThanGreaterThanToken) say(node, 'shift right with >>>')
      else if (signed.has(op) && !(op === K.AmpersandToken && isSmallMask(node)) && !signIsDropped(node)) {
        say(node, 'wrap in ( … ) >>> 0: bit 31 makes it negative in JavaScript')
      }
    }
    if (ts.isImportDeclaration(node) && !/^'(lib\/|\.\/|\.\.\/abi\/)/.test(node.moduleSpecifier.getText())) {
      say(node, 'imports lib/*, ../abi/* and its own folder alone')
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

export const checkPortable = () =>
  ['abi', ...formats]
    .flatMap((name) => filesBelow(`assembly/${name}`))
    .flatMap((file) => checkText(file, readFileSync(file, 'utf8')))
