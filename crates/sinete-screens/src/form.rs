//! How a page asks for something: where its form goes, and what shows that it came from here.

/// A form's address and its proof of origin.
#[derive(Clone, Copy, Debug)]
pub struct PageForm<'a> {
    /// Where it is posted: a path and query below the base address.
    pub action: &'a str,
    /// What shows that the page it came from was ours and this browser's.
    pub csrf: &'a str,
}

/// How a passkey is asked for: what the browser is told, as JSON.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyCeremony<'a> {
    /// The options of `navigator.credentials`, in their JSON form.
    pub options: &'a str,
}
