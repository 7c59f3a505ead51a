//! A browser that reads pages, keeps cookies and runs no scripts.

use super::world::World;
use reqwest::header::{LOCATION, SET_COOKIE};
use std::collections::BTreeMap;

/// How many redirects the browser follows.
const REDIRECTS_MAX: usize = 5;

/// A browser.
pub struct PageBrowser<'w> {
    pub world: &'w World,
    /// The `Accept-Language` header.
    pub languages: &'static str,
    pub cookies: BTreeMap<String, String>,
}

impl World {
    /// A browser without cookies, with these languages.
    pub fn create_page_browser(&self, languages: &'static str) -> PageBrowser<'_> {
        PageBrowser { world: self, languages, cookies: BTreeMap::new() }
    }
}

impl PageBrowser<'_> {
    /// The same browser with a session cookie.
    pub fn with_session(mut self, session: &str) -> Self {
        self.cookies.insert("sinete_session".to_owned(), session.to_owned());
        self
    }

    /// Opens a URL, asserts a 200 response and returns the page.
    pub async fn open_page(&mut self, address: &str) -> String {
        let (status, page) = self.open_url(address).await;
        assert_eq!(status, 200, "{address}: {page}");
        page
    }

    /// Opens a URL, follows redirects and returns the last status and page.
    pub async fn open_url(&mut self, address: &str) -> (u16, String) {
        let request = self.world.http.get(self.local_url(address));
        self.follow_redirects(request).await
    }

    /// Submits the first form of a page and returns the page it leads to.
    pub async fn submit_first_form(&mut self, page: &str, fields: &[(&str, &str)]) -> (u16, String) {
        let form = page.split("<form").nth(1).unwrap();
        let of = |text: &str, before: &str| {
            text.split(before).nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&")
        };
        let csrf = of(form.split("name=\"csrf\"").nth(1).unwrap(), "value=\"");
        let mut fields = fields.to_vec();
        fields.push(("csrf", &csrf));
        let request = self.world.http.post(self.local_url(&of(form, "action=\""))).form(&fields);
        self.follow_redirects(request.header("origin", self.world.origin())).await
    }

    /// Submits the form that contains this text, with its hidden fields, and returns the page it leads to.
    pub async fn submit_form(&mut self, page: &str, within: &str, fields: &[(&str, &str)]) -> (u16, String) {
        let forms: Vec<&str> =
            page.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap()).collect();
        let of = |text: &str, name: &str| {
            text.split(&format!(" {name}=\"")).nth(1)?.split('"').next().map(str::to_owned)
        };
        // The buttons of a table are outside their form, which they name.
        let buttons: Vec<&str> =
            page.split("<button").skip(1).map(|rest| rest.split('>').next().unwrap()).collect();
        let form_of_button = || {
            let id = of(buttons.iter().find(|button| button.contains(within))?, "form")?;
            forms.iter().find(|form| form.starts_with(&format!(" id=\"{id}\"")))
        };
        let form = forms.iter().find(|form| form.contains(within)).or_else(form_of_button);
        let form = form.unwrap_or_else(|| panic!("no {within}: {page}"));
        let hidden = form.split("<input").skip(1).filter(|input| input.contains("type=\"hidden\""));
        let mut form_fields: Vec<(String, String)> =
            hidden.filter_map(|input| Some((of(input, "name")?, of(input, "value")?))).collect();
        if let Some(id) = of(form.split('>').next().unwrap(), "id") {
            let form_attribute = format!(" form=\"{id}\"");
            let form_buttons: Vec<&&str> =
                buttons.iter().filter(|button| button.contains(&form_attribute)).collect();
            let pressed = form_buttons.iter().find(|button| button.contains(within)).or(form_buttons.first());
            form_fields.extend(pressed.and_then(|button| Some((of(button, "name")?, of(button, "value")?))));
            let is_given = |name: &str| fields.iter().any(|(field_name, _)| *field_name == name);
            form_fields.retain(|(name, _)| !(["action", "item"].contains(&name.as_str()) && is_given(name)));
        }
        form_fields.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let action = of(form, "action").unwrap().replace("&#38;", "&");
        let request = self.world.http.post(self.local_url(&action)).form(&form_fields);
        self.follow_redirects(request.header("origin", self.world.origin())).await
    }

    /// Posts these fields with this `Origin` header and returns the page it leads to.
    pub async fn forge_post(&mut self, path: &str, origin: &str, fields: &[(&str, &str)]) -> (u16, String) {
        let request = self.world.http.post(self.local_url(path)).form(fields);
        self.follow_redirects(request.header("origin", origin)).await
    }

    async fn follow_redirects(&mut self, mut request: reqwest::RequestBuilder) -> (u16, String) {
        for _ in 0..REDIRECTS_MAX {
            let cookies: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let request_builder =
                request.header("accept", "text/html").header("accept-language", self.languages);
            let answer = request_builder.header("cookie", cookies.join("; ")).send().await.unwrap();
            for line in answer.headers().get_all(SET_COOKIE) {
                let (name, rest) = line.to_str().unwrap().split_once('=').unwrap();
                let value = rest.split(';').next().unwrap();
                if value.is_empty() {
                    self.cookies.remove(name);
                } else {
                    self.cookies.insert(name.to_owned(), value.to_owned());
                }
            }
            match answer.headers().get(LOCATION) {
                Some(location) => request = self.world.http.get(self.local_url(location.to_str().unwrap())),
                None => return (answer.status().as_u16(), answer.text().await.unwrap()),
            }
        }
        panic!("too many redirects");
    }

    /// Maps a path, or a URL under the server's public name, to the address the server listens on.
    fn local_url(&self, address: &str) -> String {
        let below = address.strip_prefix(&self.world.origin()).unwrap_or(address);
        if below.starts_with('/') { self.world.public_url(below) } else { below.to_owned() }
    }
}
