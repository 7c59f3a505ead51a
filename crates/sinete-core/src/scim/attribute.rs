//! The definition of an attribute (RFC 7643 §2.2, §7).

/// An attribute or sub-attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScimAttribute {
    /// The name, compared case-insensitively.
    pub name: &'static str,
    /// The description.
    pub description: &'static str,
    /// The type of its values.
    pub kind: ScimAttributeType,
    /// Whether it is multi-valued.
    pub is_multi_valued: bool,
    /// Whether its values are case-sensitive.
    pub is_case_exact: bool,
    /// Whether it is required.
    pub is_required: bool,
    /// Whether its values are unique within an organization.
    pub is_unique: bool,
    /// Its mutability.
    pub mutability: ScimMutability,
    /// Whether it is returned even if the request selects other attributes.
    pub is_always_returned: bool,
    /// The canonical values.
    pub canonical_values: &'static [&'static str],
    /// The resource types of a reference.
    pub reference_types: &'static [&'static str],
    /// The sub-attributes of a complex attribute.
    pub sub_attributes: &'static [Self],
}

/// The type of an attribute's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimAttributeType {
    /// A short single-line text.
    Text,
    /// A multi-line text.
    MultilineText,
    /// An e-mail address.
    Email,
    /// A boolean.
    Boolean,
    /// A date-time.
    DateTime,
    /// A URL.
    Url,
    /// A URL of one of our resources.
    Reference,
    /// A complex value with sub-attributes.
    Complex,
}

/// The mutability of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimMutability {
    /// `readWrite`.
    ReadWrite,
    /// `immutable`: set only together with the value it is part of.
    Immutable,
    /// `readOnly`.
    ReadOnly,
}

impl ScimAttribute {
    /// A short text attribute.
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            kind: ScimAttributeType::Text,
            is_multi_valued: false,
            is_case_exact: false,
            is_required: false,
            is_unique: false,
            mutability: ScimMutability::ReadWrite,
            is_always_returned: false,
            canonical_values: &[],
            reference_types: &[],
            sub_attributes: &[],
        }
    }

    /// An attribute of another type.
    pub const fn with_type(kind: ScimAttributeType, name: &'static str, description: &'static str) -> Self {
        Self { kind, ..Self::text(name, description) }
    }

    /// A complex attribute with these sub-attributes.
    pub const fn complex(
        name: &'static str,
        description: &'static str,
        sub_attributes: &'static [Self],
    ) -> Self {
        Self { sub_attributes, ..Self::with_type(ScimAttributeType::Complex, name, description) }
    }

    /// Makes it multi-valued.
    pub const fn multi_valued(self) -> Self {
        Self { is_multi_valued: true, ..self }
    }

    /// Makes it case-sensitive.
    pub const fn case_exact(self) -> Self {
        Self { is_case_exact: true, ..self }
    }

    /// Makes it required.
    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// Makes it unique.
    pub const fn unique(self) -> Self {
        Self { is_unique: true, ..self }
    }

    /// Makes it always returned.
    pub const fn always_returned(self) -> Self {
        Self { is_always_returned: true, ..self }
    }

    /// Makes it read-only.
    pub const fn read_only(self) -> Self {
        Self { mutability: ScimMutability::ReadOnly, ..self }
    }

    /// Makes it immutable.
    pub const fn immutable(self) -> Self {
        Self { mutability: ScimMutability::Immutable, ..self }
    }

    /// Sets its canonical values.
    pub const fn with_canonical_values(self, canonical_values: &'static [&'static str]) -> Self {
        Self { canonical_values, ..self }
    }

    /// A reference to our resources.
    pub const fn reference(description: &'static str, reference_types: &'static [&'static str]) -> Self {
        Self {
            reference_types,
            is_case_exact: true,
            ..Self::with_type(ScimAttributeType::Reference, "$ref", description)
        }
    }

    /// Finds a sub-attribute by name.
    pub fn find_sub_attribute(&self, name: &str) -> Option<&'static Self> {
        self.sub_attributes.iter().find(|part| part.name.eq_ignore_ascii_case(name))
    }

    /// Whether it is read-only.
    pub fn is_read_only(&self) -> bool {
        self.mutability == ScimMutability::ReadOnly
    }
}
