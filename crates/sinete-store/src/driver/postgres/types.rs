//! [`SqlValue`] in PostgreSQL's wire format.

use crate::value::SqlValue;
use std::error::Error;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, WrongType, to_sql_checked};

impl ToSql for SqlValue {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => match *kind {
                Type::INT8 => number.to_sql(kind, out),
                Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
                _ => Err(Box::new(WrongType::new::<i64>(kind.clone()))),
            },
            Self::Text(text) if is_text(kind) => text.as_str().to_sql(kind, out),
            Self::Text(_) => Err(Box::new(WrongType::new::<String>(kind.clone()))),
            Self::Blob(bytes) if *kind == Type::BYTEA => bytes.as_slice().to_sql(kind, out),
            Self::Blob(_) => Err(Box::new(WrongType::new::<Vec<u8>>(kind.clone()))),
        }
    }

    /// A null may be sent without a type, and nothing else.
    fn accepts(kind: &Type) -> bool {
        is_text(kind) || matches!(*kind, Type::INT8 | Type::INT4 | Type::BYTEA | Type::UNKNOWN)
    }

    to_sql_checked!();
}

impl<'wire> FromSql<'wire> for SqlValue {
    fn from_sql(kind: &Type, raw: &'wire [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Self::Integer(i32::from_sql(kind, raw)?.into()),
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::BYTEA => Self::from(raw),
            _ => Self::from(<&str>::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        is_text(kind) || matches!(*kind, Type::INT8 | Type::INT4 | Type::BOOL | Type::BYTEA)
    }
}

fn is_text(kind: &Type) -> bool {
    matches!(*kind, Type::TEXT | Type::VARCHAR)
}
