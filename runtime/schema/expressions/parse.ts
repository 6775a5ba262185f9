/** Parses an expression in the spelling of any database into a tree. Pure; nothing is ever evaluated. */
import { compareOperands, joinLogical, negate, toList } from './normalize.js';
import { OperandParser } from './operands.js';
import type { ExpressionSyntax } from './syntax.js';
import { tokenize, UnsupportedExpression } from './tokens.js';
import { depthOf, nodeCount, type ColumnKinds, type Expression, type Operator } from './tree.js';
import { comparisons } from './vocabulary.js';

const maxDepth = 16;
const maxNodes = 200;
const maxLength = 10_000;

/**
 * Parses an expression; returns null for one outside of the grammar.
 * @param columns the columns that it may name
 */
export const parseExpression = (
  sql: string,
  { columns, syntax }: { readonly columns: ColumnKinds; readonly syntax: ExpressionSyntax },
): Expression | null => {
  if (sql.length > maxLength) return null;
  try {
    const parser = new Parser(tokenize(sql, syntax), columns, syntax);
    const tree = parser.parse();
    return depthOf(tree) > maxDepth || nodeCount(tree) > maxNodes ? null : tree;
  } catch (error) {
    if (error instanceof UnsupportedExpression) return null;
    throw error;
  }
};

class Parser extends OperandParser {
  parse(): Expression {
    const tree = this.expression();
    if (this.at < this.tokens.length) throw new UnsupportedExpression('unexpected text after the expression');
    return tree;
  }

  protected expression(): Expression {
    const operands = [this.#and()];
    while (this.takeWord('or')) operands.push(this.#and());
    return joinLogical('or', operands);
  }

  #and(): Expression {
    const operands = [this.#not()];
    while (this.takeWord('and')) operands.push(this.#not());
    return joinLogical('and', operands);
  }

  #not(): Expression {
    return this.takeWord('not') ? negate(this.#not()) : this.#comparison();
  }

  #comparison(): Expression {
    let left = this.concatenation();
    for (;;) {
      const operator = this.peekSymbol(comparisons);
      if (operator !== undefined) {
        this.at += 1;
        left = this.#compare(operator, left);
      } else if (this.takeWord('is')) {
        const isNegated = this.takeWord('not');
        left = this.#negateIf(isNegated, this.#is(left));
      } else if (this.takeSymbol('~~')) {
        left = this.#like(left);
      } else if (this.takeSymbol('!~~')) {
        left = negate(this.#like(left));
      } else {
        const isNegated = this.peekWords('not', ['in', 'like', 'between']);
        if (isNegated) this.at += 1;
        if (this.takeWord('in')) left = this.#negateIf(isNegated, this.#in(left));
        else if (this.takeWord('like')) left = this.#negateIf(isNegated, this.#like(left));
        else if (this.takeWord('between')) left = this.#between(left, isNegated);
        else return left;
      }
    }
  }

  #negateIf(isNegated: boolean, expression: Expression): Expression {
    return isNegated ? negate(expression) : expression;
  }

  #compare(operator: Operator, left: Expression): Expression {
    if (this.takeWord('any')) return this.#quantified(operator, '=', left);
    if (this.takeWord('all')) return negate(this.#quantified(operator, '<>', left));
    return compareOperands(operator, [left, this.concatenation()], this.columns);
  }

  /** `= ANY (ARRAY[…])` is `IN`, `<> ALL (ARRAY[…])` is `NOT IN`. */
  #quantified(operator: Operator, expected: Operator, left: Expression): Expression {
    if (operator !== expected) throw new UnsupportedExpression('ANY and ALL need = and <>');
    this.expectSymbol('(');
    const values = this.#array();
    this.expectSymbol(')');
    return toList(left, values, this.columns);
  }

  #array(): readonly Expression[] {
    if (this.takeSymbol('(')) {
      const values = this.#array();
      this.expectSymbol(')');
      this.#skipCasts();
      return values;
    }
    this.expectWord('array');
    this.expectSymbol('[');
    const values = this.list(']');
    this.#skipCasts();
    return values;
  }

  #skipCasts(): void {
    while (this.takeSymbol('::')) this.type();
  }

  #is(left: Expression): Expression {
    if (this.takeWord('null')) return { kind: 'operator', operator: 'is null', operands: [left] };
    throw new UnsupportedExpression('IS is followed by NULL');
  }

  #in(left: Expression): Expression {
    this.expectSymbol('(');
    return toList(left, this.list(')'), this.columns);
  }

  #like(left: Expression): Expression {
    const pattern = this.concatenation();
    if (pattern.kind !== 'text') throw new UnsupportedExpression('the pattern of LIKE is a text');
    return { kind: 'operator', operator: 'like', operands: [left, pattern] };
  }

  /** `BETWEEN` is two comparisons. */
  #between(left: Expression, isNegated: boolean): Expression {
    const low = this.concatenation();
    this.expectWord('and');
    const high = this.concatenation();
    const [first, second] = isNegated ? (['<', '>'] as const) : (['>=', '<='] as const);
    return joinLogical(isNegated ? 'or' : 'and', [
      compareOperands(first, [left, low], this.columns),
      compareOperands(second, [left, high], this.columns),
    ]);
  }
}
