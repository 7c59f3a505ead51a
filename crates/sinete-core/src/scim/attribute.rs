//! What there is to say about an attribute (RFC 7643 §2.2, §7).

/// One attribute, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScimAttribute {
    /// Its name. Names are compared without regard to case.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub description: &'static str,
    /// What its values are.
    pub kind: ScimAttributeType,
    /// Whether it has many values.
    pub is_many: bool,
    /// Whether its values are told apart by case.
    pub is_case_exact: bool,
    /// Whether it must be there.
    pub is_required: bool,
    /// Whether it is different for each thing of an organization.
    pub is_unique: bool,
    /// Who may change it.
    pub changes: ScimMutability,
    /// Whether it is told even to those who ask for something else.
    pub is_always_told: bool,
    /// The usual values.
    pub usual: &'static [&'static str],
    /// What kinds of things a reference leads to.
    pub refers_to: &'static [&'static str],
    /// What a compound value consists of.
    pub parts: &'static [Self],
}

/// What the values of an attribute are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimAttributeType {
    /// A short text in one line.
    Text,
    /// A text that may have lines.
    Lines,
    /// An e-mail address.
    Email,
    /// Yes or no.
    Boolean,
    /// A point in time.
    Moment,
    /// An address of the web.
    WebAddress,
    /// An address of ours.
    Reference,
    /// A compound of parts.
    Complex,
}

/// Who may change an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimMutability {
    /// Whoever provisions.
    Freely,
    /// Whoever provisions, but only with the whole that it is part of.
    WithWhole,
    /// Nobody: it is ours.
    Never,
}

impl ScimAttribute {
    /// A short text.
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            kind: ScimAttributeType::Text,
            is_many: false,
            is_case_exact: false,
            is_required: false,
            is_unique: false,
            changes: ScimMutability::Freely,
            is_always_told: false,
            usual: &[],
            refers_to: &[],
            parts: &[],
        }
    }

    /// Something else than a text.
    pub const fn with_type(kind: ScimAttributeType, name: &'static str, description: &'static str) -> Self {
        Self { kind, ..Self::text(name, description) }
    }

    /// A compound of these parts.
    pub const fn complex(name: &'static str, description: &'static str, parts: &'static [Self]) -> Self {
        Self { parts, ..Self::with_type(ScimAttributeType::Complex, name, description) }
    }

    /// The same, with many values.
    pub const fn multi_valued(self) -> Self {
        Self { is_many: true, ..self }
    }

    /// The same, told apart by case.
    pub const fn case_exact(self) -> Self {
        Self { is_case_exact: true, ..self }
    }

    /// The same, which must be there.
    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// The same, different for each thing.
    pub const fn unique(self) -> Self {
        Self { is_unique: true, ..self }
    }

    /// The same, told in every case.
    pub const fn always_returned(self) -> Self {
        Self { is_always_told: true, ..self }
    }

    /// The same, which nobody changes.
    pub const fn read_only(self) -> Self {
        Self { changes: ScimMutability::Never, ..self }
    }

    /// The same, which changes only with its whole.
    pub const fn immutable(self) -> Self {
        Self { changes: ScimMutability::WithWhole, ..self }
    }

    /// The same, with its usual values.
    pub const fn with_canonical_values(self, usual: &'static [&'static str]) -> Self {
        Self { usual, ..self }
    }

    /// A reference to things of ours.
    pub const fn reference(description: &'static str, refers_to: &'static [&'static str]) -> Self {
        Self {
            refers_to,
            is_case_exact: true,
            ..Self::with_type(ScimAttributeType::Reference, "$ref", description)
        }
    }

    /// The part of this name.
    pub fn find_sub_attribute(&self, name: &str) -> Option<&'static Self> {
        self.parts.iter().find(|part| part.name.eq_ignore_ascii_case(name))
    }

    /// Whether nobody may change it.
    pub fn is_read_only(&self) -> bool {
        self.changes == ScimMutability::Never
    }
}
