//! Templates of `formatString`: text with `${…}` that names data or calls functions.

use serde_json::{Map, Value, json};
use thiserror::Error;

/// Longest template, in characters.
const MAX_LENGTH: usize = 10_000;
/// Most parts of one template.
const MAX_PARTS: usize = 1_000;
/// Deepest nesting of expressions.
const MAX_DEPTH: usize = 100;

/// A template that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ExpressionError {
    /// Longer or more parts than allowed.
    #[error("the template is too long: at most {MAX_LENGTH} characters and {MAX_PARTS} parts")]
    TooLong,
    /// Nested too deeply.
    #[error("expressions are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// `${` without its `}`.
    #[error("an expression is not closed: `}}` is missing")]
    Unclosed,
    /// A call without its closing parenthesis.
    #[error("`)` is missing after the arguments of `{0}`")]
    MissingParenthesis(String),
    /// An argument without a name.
    #[error(
        "`:` is missing after the argument name `{0}`; arguments are named, as in `f(value: 1)`"
    )]
    MissingColon(String),
    /// A number that is none.
    #[error("`{0}` is not a number")]
    BadNumber(String),
    /// Characters after the end of an expression.
    #[error("unexpected characters at the end of an expression: `{0}`")]
    Trailing(String),
}

/// Divides a template into parts: literal values, bindings `{"path"}` and calls `{"call","args"}`.
///
/// # Errors
///
/// The first expression that cannot be read.
pub fn parse_template(template: &str) -> Result<Vec<Value>, ExpressionError> {
    if template.chars().count() > MAX_LENGTH {
        return Err(ExpressionError::TooLong);
    }
    let mut scanner = TemplateScanner::new(template);
    let mut parts = Vec::new();
    let mut text = String::new();
    while let Some(character) = scanner.peek() {
        if scanner.take("${") {
            push_text(&mut parts, &mut text);
            let part = expression_text(&mut scanner).and_then(|inner| parse_whole(&inner, 1))?;
            if part != "" {
                parts.push(part);
            }
        } else if scanner.take("\\${") {
            text.push_str("${");
        } else {
            scanner.advance();
            text.push(character);
        }
        if parts.len() >= MAX_PARTS {
            return Err(ExpressionError::TooLong);
        }
    }
    push_text(&mut parts, &mut text);
    Ok(parts)
}

fn push_text(parts: &mut Vec<Value>, text: &mut String) {
    if !text.is_empty() {
        parts.push(Value::String(std::mem::take(text)));
    }
}

/// The characters up to the brace that closes an expression; braces inside quotation marks do not count.
fn expression_text(scanner: &mut TemplateScanner) -> Result<String, ExpressionError> {
    let start = scanner.position;
    let mut open = 1;
    while let Some(character) = scanner.advance() {
        match character {
            '{' => open += 1,
            '}' => open -= 1,
            '\'' | '"' => drop(scanner.string_literal(character)),
            _ => {}
        }
        if open == 0 {
            return Ok(scanner.characters[start..scanner.position - 1]
                .iter()
                .collect());
        }
    }
    Err(ExpressionError::Unclosed)
}

fn parse_whole(text: &str, depth: usize) -> Result<Value, ExpressionError> {
    let mut scanner = TemplateScanner::new(text.trim());
    let value = parse_expression(&mut scanner, depth)?;
    if scanner.peek().is_some() {
        return Err(ExpressionError::Trailing(scanner.rest()));
    }
    Ok(value)
}

fn parse_expression(scanner: &mut TemplateScanner, depth: usize) -> Result<Value, ExpressionError> {
    if depth > MAX_DEPTH {
        return Err(ExpressionError::TooDeep);
    }
    scanner.skip_space();
    if scanner.take("${") {
        return expression_text(scanner).and_then(|inner| parse_whole(&inner, depth + 1));
    }
    if let Some(quote) = scanner
        .peek()
        .filter(|character| matches!(character, '\'' | '"'))
    {
        scanner.advance();
        return Ok(Value::String(scanner.string_literal(quote)));
    }
    if scanner.at_number() {
        return scanner.number();
    }
    for (word, value) in [
        ("true", json!(true)),
        ("false", json!(false)),
        ("null", json!("")),
    ] {
        if scanner.take_word(word) {
            return Ok(value);
        }
    }
    let name = scanner.take_while(|c| is_name(c) || matches!(c, '/' | '.' | '-'));
    scanner.skip_space();
    if scanner.take("(") {
        return parse_arguments(name, scanner, depth);
    }
    Ok(if name.is_empty() {
        json!("")
    } else {
        json!({ "path": name })
    })
}

fn parse_arguments(
    function: String,
    scanner: &mut TemplateScanner,
    depth: usize,
) -> Result<Value, ExpressionError> {
    let mut arguments = Map::new();
    scanner.skip_space();
    while scanner.peek().is_some_and(|character| character != ')') {
        let name = scanner.take_while(is_name);
        scanner.skip_space();
        if !scanner.take(":") {
            return Err(ExpressionError::MissingColon(name));
        }
        arguments.insert(name, parse_expression(scanner, depth + 1)?);
        scanner.skip_space();
        scanner.take(",");
        scanner.skip_space();
    }
    if scanner.take(")") {
        Ok(json!({ "call": function, "args": arguments }))
    } else {
        Err(ExpressionError::MissingParenthesis(function))
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

struct TemplateScanner {
    characters: Vec<char>,
    position: usize,
}

impl TemplateScanner {
    fn new(text: &str) -> Self {
        Self {
            characters: text.chars().collect(),
            position: 0,
        }
    }

    fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    fn peek_at(&self, offset: usize) -> Option<char> {
        self.characters.get(self.position + offset).copied()
    }

    fn advance(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += 1;
        Some(character)
    }

    fn rest(&self) -> String {
        self.characters[self.position..].iter().collect()
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = expected
            .chars()
            .enumerate()
            .all(|(at, c)| self.peek_at(at) == Some(c));
        if found {
            self.position += expected.chars().count();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let ends = !self.peek_at(word.len()).is_some_and(is_name);
        ends && self.take(word)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let start = self.position;
        while self.peek().is_some_and(&accept) {
            self.position += 1;
        }
        self.characters[start..self.position].iter().collect()
    }

    fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// The text up to the closing quotation mark, whose opening mark was read.
    fn string_literal(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(character) = self.advance().filter(|character| *character != quote) {
            text.extend(match character {
                '\\' => self.advance().map(|escaped| match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                }),
                other => Some(other),
            });
        }
        text
    }

    /// True at a digit, at a point before a digit, or at a sign before either.
    fn at_number(&self) -> bool {
        let digit = |at| {
            self.peek_at(at)
                .is_some_and(|character| character.is_ascii_digit())
        };
        let start = usize::from(matches!(self.peek(), Some('+' | '-')));
        digit(start) || (self.peek_at(start) == Some('.') && digit(start + 1))
    }

    fn number(&mut self) -> Result<Value, ExpressionError> {
        let mut text = String::new();
        text.extend(
            self.peek()
                .filter(|character| matches!(character, '+' | '-')),
        );
        self.position += text.len();
        text += &self.take_while(|character| character.is_ascii_digit() || character == '.');
        if matches!(self.peek(), Some('e' | 'E')) {
            text.extend(self.advance());
            if matches!(self.peek(), Some('+' | '-')) {
                text.extend(self.advance());
            }
            text += &self.take_while(|character| character.is_ascii_digit());
        }
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(json!(integer));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(json!(number)),
            _ => Err(ExpressionError::BadNumber(text)),
        }
    }
}
