//! Parses PTX text into a syntax tree (PTX ISA 9.0, chapters "Syntax", "State Spaces, Types, and
//! Variables", "Directives"). Only operand lists are parsed recursively, and their depth is
//! bounded, so no text can exhaust the stack.

pub(crate) mod ast;
mod lexer;
mod operand;

use ast::{Bounds, Function, Init, Ptx, Statement, Type, Variable};
use lexer::{Kind, Token};

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub line: u32,
    pub message: String,
}

impl ParseError {
    pub fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

type Result<T> = std::result::Result<T, ParseError>;

/// The most blocks around a statement.
const MAX_DEPTH: u32 = 256;

/// Parses a whole file.
pub(crate) fn parse(text: &str) -> Result<Ptx<'_>> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let mut ptx = Ptx::default();
    while let Some(token) = parser.peek() {
        match token {
            Kind::Word(".version" | ".target" | ".address_size") => parser.skip_line(),
            Kind::Word(".file") => {
                parser.at += 1;
                let number = parser.int()?;
                let path = parser.text()?;
                while parser.eat(',') {
                    parser.int()?;
                }
                ptx.files.push((number as u32, path));
            }
            Kind::Word(".section") => {
                ptx.debug |= parser.peek_at(1) == Some(Kind::Word(".debug_info"));
                parser.skip_section()?;
            }
            Kind::Word(".pragma") => parser.skip_past(';')?,
            Kind::Punct(';') => parser.at += 1,
            _ => parser.declaration(&mut ptx)?,
        }
    }
    Ok(ptx)
}

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Parser<'_, 'a> {
    fn peek(&self) -> Option<Kind<'a>> {
        self.tokens.get(self.at).map(|t| t.kind)
    }

    fn peek_at(&self, ahead: usize) -> Option<Kind<'a>> {
        self.tokens.get(self.at + ahead).map(|t| t.kind)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.line)
    }

    fn error<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(Kind::Word(w)) => format!("`{w}`"),
            Some(Kind::Punct(c)) => format!("`{c}`"),
            Some(Kind::Int(n)) => format!("`{n}`"),
            Some(Kind::F32(_) | Kind::F64(_)) => "a float".to_owned(),
            Some(Kind::Text(t)) => format!("\"{t}\""),
        };
        Err(ParseError::new(self.line(), format!("expected {wanted}, found {found}")))
    }

    fn eat(&mut self, c: char) -> bool {
        let hit = self.peek() == Some(Kind::Punct(c));
        self.at += usize::from(hit);
        hit
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let hit = self.peek() == Some(Kind::Word(word));
        self.at += usize::from(hit);
        hit
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.eat(c) { Ok(()) } else { self.error(&format!("`{c}`")) }
    }

    fn word(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(Kind::Word(w)) => {
                self.at += 1;
                Ok(w)
            }
            _ => self.error("a name"),
        }
    }

    fn text(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(Kind::Text(t)) => {
                self.at += 1;
                Ok(t)
            }
            _ => self.error("a quoted string"),
        }
    }

    fn int(&mut self) -> Result<u64> {
        match self.peek() {
            Some(Kind::Int(n)) => {
                self.at += 1;
                Ok(n)
            }
            _ => self.error("an integer"),
        }
    }

    fn signed_int(&mut self) -> Result<i64> {
        let negative = self.eat('-');
        let n = self.int()? as i64;
        Ok(if negative { n.wrapping_neg() } else { n })
    }

    fn skip_line(&mut self) {
        let line = self.line();
        while self.tokens.get(self.at).is_some_and(|t| t.line == line) {
            self.at += 1;
        }
    }

    fn skip_past(&mut self, c: char) -> Result<()> {
        while let Some(kind) = self.peek() {
            self.at += 1;
            if kind == Kind::Punct(c) {
                return Ok(());
            }
        }
        self.error(&format!("`{c}`"))
    }

    fn skip_section(&mut self) -> Result<()> {
        self.skip_past('{')?;
        self.skip_past('}')
    }

    /// A function or a module-scope variable, after its linking directives.
    fn declaration(&mut self, ptx: &mut Ptx<'a>) -> Result<()> {
        while matches!(self.peek(), Some(Kind::Word(".visible" | ".extern" | ".weak" | ".common")))
        {
            self.at += 1;
        }
        match self.peek() {
            Some(Kind::Word(".entry" | ".func")) => {
                let function = self.function()?;
                ptx.functions.push(function);
                Ok(())
            }
            Some(Kind::Word(".alias")) => self.skip_past(';'),
            Some(Kind::Word(".global" | ".const" | ".shared" | ".tex" | ".local" | ".param")) => {
                let variables = self.variables()?;
                ptx.variables.extend(variables);
                Ok(())
            }
            _ => self.error("a directive"),
        }
    }

    fn function(&mut self) -> Result<Function<'a>> {
        let entry = self.word()? == ".entry";
        while self.eat_word(".noreturn") {}
        let returns = if self.peek() == Some(Kind::Punct('(')) { self.params()? } else { vec![] };
        let name = self.word()?;
        let params = if self.peek() == Some(Kind::Punct('(')) { self.params()? } else { vec![] };
        let bounds = self.performance_directives();
        let body = if self.eat(';') { None } else { Some(self.body()?) };
        Ok(Function { name, entry, returns, params, bounds, body })
    }

    /// `.maxntid 256, 1, 1` and the like.
    fn performance_directives(&mut self) -> Bounds {
        let mut bounds = Bounds::default();
        while let Some(Kind::Word(name)) = self.peek()
            && name.starts_with('.')
        {
            self.at += 1;
            let mut numbers = [1_u32; 3];
            let mut n = 0;
            while let Some(Kind::Int(_) | Kind::Punct(',') | Kind::Text(_)) = self.peek() {
                if let (Some(Kind::Int(value)), Some(number)) = (self.peek(), numbers.get_mut(n)) {
                    *number = u32::try_from(value).unwrap_or(u32::MAX);
                    n += 1;
                }
                self.at += 1;
            }
            match name {
                ".maxntid" => {
                    bounds.threads = Some(numbers.into_iter().fold(1, u32::saturating_mul));
                }
                ".reqntid" => bounds.required = Some(numbers),
                _ => {}
            }
        }
        bounds
    }

    fn params(&mut self) -> Result<Vec<Variable<'a>>> {
        self.expect('(')?;
        let mut params = vec![];
        while !self.eat(')') {
            params.push(self.variable()?);
            if !self.eat(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(params)
    }

    fn variables(&mut self) -> Result<Vec<Variable<'a>>> {
        let first = self.variable()?;
        let mut all = vec![first];
        while self.eat(',') {
            let mut next = all[0].clone();
            next.name = self.word()?;
            next.elements = self.dimensions()?;
            next.init = self.initialiser()?;
            all.push(next);
        }
        self.expect(';')?;
        Ok(all)
    }

    /// `.global .align 4 .u32 name[4] = {1, 2}`; also parameters: `.param .u64 .ptr .align 1 name`.
    fn variable(&mut self) -> Result<Variable<'a>> {
        let space = self.word()?.strip_prefix('.').unwrap_or_default();
        let (mut align, mut ty, mut vector) = (0, None, 1);
        while let Some(Kind::Word(w)) = self.peek()
            && let Some(directive) = w.strip_prefix('.')
        {
            self.at += 1;
            match directive {
                "align" => {
                    let n = u32::try_from(self.int()?).unwrap_or(0);
                    // a `.ptr .align` after the type describes the pointee
                    if ty.is_none() {
                        align = n;
                    }
                }
                "v2" => vector = 2,
                "v4" => vector = 4,
                // `.attribute(.managed)` makes no difference here
                "attribute" => self.skip_past(')')?,
                _ => {
                    if ty.is_none() {
                        ty = Type::parse(directive);
                    }
                }
            }
        }
        let Some(ty) = ty else { return self.error("a variable's type") };
        let name = self.word()?;
        let elements = self.dimensions()?.map(|n| n.saturating_mul(vector));
        let init = self.initialiser()?;
        let align = if align == 0 { ty.bytes() * vector as u32 } else { align };
        if !align.is_power_of_two() || align > 1 << 16 {
            return Err(ParseError::new(
                self.line(),
                format!("alignment {align} is not a power of two up to 65536"),
            ));
        }
        Ok(Variable { name, space, ty, align, elements, init })
    }

    /// `[4][2]` is 8, `[]` is `None`, nothing is 1.
    fn dimensions(&mut self) -> Result<Option<u64>> {
        let mut elements = Some(1_u64);
        while self.eat('[') {
            if self.eat(']') {
                elements = None;
            } else {
                let n = self.int()?;
                elements = elements.map(|e| e.saturating_mul(n));
                self.expect(']')?;
            }
        }
        Ok(elements)
    }

    fn initialiser(&mut self) -> Result<Vec<Init<'a>>> {
        let mut init = vec![];
        if !self.eat('=') {
            return Ok(init);
        }
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                Some(Kind::Punct('{')) => {
                    self.at += 1;
                    depth += 1;
                }
                Some(Kind::Punct('}')) if depth > 0 => {
                    self.at += 1;
                    depth -= 1;
                }
                Some(Kind::Punct(',')) if depth > 0 => self.at += 1,
                Some(Kind::Int(_) | Kind::Punct('-')) => {
                    init.push(Init::Bits(self.signed_int()? as u64))
                }
                Some(Kind::F32(bits)) => {
                    self.at += 1;
                    init.push(Init::Bits(u64::from(bits)));
                }
                Some(Kind::F64(bits)) => {
                    self.at += 1;
                    init.push(Init::Bits(bits));
                }
                Some(Kind::Word("generic")) if self.peek_at(1) == Some(Kind::Punct('(')) => {
                    self.at += 2;
                    let name = self.word()?;
                    self.expect(')')?;
                    init.push(Init::Symbol(name, self.offset()?));
                }
                Some(Kind::Word(name)) => {
                    self.at += 1;
                    init.push(Init::Symbol(name, self.offset()?));
                }
                _ => return self.error("an initial value"),
            }
            if depth == 0 {
                return Ok(init);
            }
        }
    }

    fn offset(&mut self) -> Result<i64> {
        if self.eat('+') || self.peek() == Some(Kind::Punct('-')) {
            self.signed_int()
        } else {
            Ok(0)
        }
    }

    fn body(&mut self) -> Result<Vec<Statement<'a>>> {
        self.expect('{')?;
        let mut statements = vec![];
        let mut depth = 1_u32;
        while depth > 0 {
            let line = self.line();
            match self.peek() {
                Some(Kind::Punct('{')) => {
                    self.at += 1;
                    depth += 1;
                    if depth > MAX_DEPTH {
                        let message = format!("blocks nested deeper than {MAX_DEPTH}");
                        return Err(ParseError::new(line, message));
                    }
                    statements.push(Statement::Open);
                }
                Some(Kind::Punct('}')) => {
                    self.at += 1;
                    depth -= 1;
                    if depth > 0 {
                        statements.push(Statement::Close);
                    }
                }
                Some(Kind::Punct(';')) => self.at += 1,
                Some(Kind::Word(_) | Kind::Punct('@')) => {
                    let first = self.at;
                    self.statement(line, &mut statements).map_err(|e| self.within(first, e))?;
                }
                _ => return self.error("an instruction"),
            }
        }
        Ok(statements)
    }

    /// Moves the error for a missing semicolon from the next statement, where it is found, to the
    /// one that lacks it.
    fn within(&self, first: usize, error: ParseError) -> ParseError {
        match self.tokens.get(first) {
            Some(Token { line, kind: Kind::Word(word), .. }) if *line < error.line => {
                ParseError::new(*line, format!("in `{word}`: {}", error.message))
            }
            Some(Token { line, .. }) => ParseError { line: *line, ..error },
            None => error,
        }
    }

    fn statement(&mut self, line: u32, statements: &mut Vec<Statement<'a>>) -> Result<()> {
        match self.peek() {
            Some(Kind::Punct('@')) => {
                self.at += 1;
                let negated = self.eat('!');
                let register = self.word()?;
                statements.push(self.instruction(line, Some((negated, register)))?);
            }
            Some(Kind::Word(".reg")) => self.registers(statements)?,
            Some(Kind::Word(".loc")) => statements.push(self.location()?),
            Some(Kind::Word(".pragma")) => self.skip_past(';')?,
            Some(Kind::Word(".section")) => self.skip_section()?,
            Some(Kind::Word(".param" | ".local" | ".shared" | ".global" | ".const")) => {
                let variables = self.variables()?;
                statements.extend(variables.into_iter().map(Statement::Variable));
            }
            Some(Kind::Word(name)) if self.peek_at(1) == Some(Kind::Punct(':')) => {
                self.at += 2;
                if matches!(self.peek(), Some(Kind::Word(".callprototype" | ".calltargets"))) {
                    // the pointer decides which function is called, so prototypes and lists of
                    // targets are not needed
                    self.skip_past(';')?;
                    statements.push(Statement::Prototype(name));
                } else if self.eat_word(".branchtargets") {
                    let mut labels = vec![self.word()?];
                    while self.eat(',') {
                        labels.push(self.word()?);
                    }
                    self.expect(';')?;
                    statements.push(Statement::Targets(name, labels));
                } else {
                    statements.push(Statement::Label(name));
                }
            }
            _ => statements.push(self.instruction(line, None)?),
        }
        Ok(())
    }

    fn registers(&mut self, statements: &mut Vec<Statement<'a>>) -> Result<()> {
        self.at += 1;
        let (mut ty, mut elements) = (None, 1);
        while let Some(Kind::Word(w)) = self.peek()
            && let Some(directive) = w.strip_prefix('.')
        {
            self.at += 1;
            match directive {
                "v2" => elements = 2,
                "v4" => elements = 4,
                _ => ty = ty.or(Type::parse(directive)),
            }
        }
        let Some(ty) = ty else { return self.error("a register's type") };
        loop {
            let name = self.word()?;
            let count = if self.eat('<') {
                let n = u32::try_from(self.int()?).ok().filter(|n| *n <= 1 << 20);
                let Some(n) = n else { return self.error("at most 1048576 registers") };
                self.expect('>')?;
                Some(n)
            } else {
                None
            };
            statements.push(Statement::Register { ty, elements, name, count });
            if !self.eat(',') {
                return self.expect(';');
            }
        }
    }

    /// `.loc 1 2 3` or `.loc 2 440 9, function_name $L__info_string1, inlined_at 1 5 3`.
    fn location(&mut self) -> Result<Statement<'a>> {
        self.at += 1;
        let (file, line, column) = self.triple()?;
        let mut inlined_at = None;
        while self.eat(',') {
            if self.eat_word("function_name") {
                self.word()?;
                self.offset()?;
            } else if self.eat_word("inlined_at") {
                inlined_at = Some(self.triple()?);
            } else {
                return self.error("`function_name` or `inlined_at`");
            }
        }
        Ok(Statement::Location { file, line, column, inlined_at })
    }

    fn triple(&mut self) -> Result<(u32, u32, u32)> {
        Ok((self.int()? as u32, self.int()? as u32, self.int()? as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::ast::Operand;
    use super::*;

    #[test]
    fn a_kernel_keeps_its_parameters_locations_and_operands() {
        let ptx = parse(
            ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .align 1 k_0,\n.param .u32 k_1\n)\n{\n\
             .reg .b64 %rd<3>;\n.loc 2 440 9, function_name $L__s1, inlined_at 1 5 3\nld.param.u64 %rd1, [k_0];\n\
             @!%p1 bra $L1;\nst.global.v2.f32 [%rd1+-4], {%f1, 0f3F800000};\n$L1:\nret;\n}\n.file 1 \"a.cu\"\n\
             .section .debug_str\n{\n$L__s1:\n.b8 95,0\n}\n",
        )
        .expect("parses");
        assert_eq!(ptx.files, [(1, "a.cu")]);
        let f = &ptx.functions[0];
        assert_eq!((f.name, f.entry, f.params.len()), ("k", true, 2));
        let body = f.body.as_ref().expect("a body");
        assert!(matches!(
            body[1],
            Statement::Location { file: 2, line: 440, column: 9, inlined_at: Some((1, 5, 3)) }
        ));
        let Statement::Instruction(st) = &body[4] else { panic!("{:?}", body[4]) };
        assert_eq!(st.operands[0], Operand::Memory { base: Some("%rd1"), offset: -4 });
        assert_eq!(
            st.operands[1],
            Operand::Vector(vec![Operand::Name("%f1"), Operand::F32(0x3f80_0000)])
        );
        assert_eq!((st.root(), st.line), ("st", 13));
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse(".version 9.0\n.visible .entry k()\n{\n  add.s32 %r1 %r2;\n}\n")
            .expect_err("no comma");
        assert_eq!(error.line, 4);
        assert!(error.message.contains("`%r2`"), "{}", error.message);
    }

    /// A token that inline assembly lacks is found on a later line, and is reported on the line
    /// that lacks it.
    #[test]
    fn a_missing_token_is_reported_on_its_own_line() {
        for lacking in [
            "hello",
            "add.s32 %r1, %r2, %r3",
            "add.s32 %r1,",
            "@%p1 bra",
            "bar.sync 0",
            ".reg .b32 %t",
            ".shared .b8 s[4]",
            "mov.b64 %x1, {%r1,",
            "ld.global.u32 %r1, [%x1",
        ] {
            for next in [".loc 1 2 3", "st.global.u32 [%x1], %r1;", "$L1:", "@%p1 ret;", "}"] {
                let text = format!(".visible .entry k()\n{{\n{lacking}\n\n{next}\nret;\n}}\n");
                let error = parse(&text).expect_err("a semicolon is missing");
                assert_eq!(error.line, 3, "{lacking} {next}: {}", error.message);
            }
        }
    }
}
