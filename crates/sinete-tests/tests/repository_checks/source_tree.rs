//! The files of the project, as in a fresh clone.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct File {
    /// Its path from the root of the project, with forward slashes.
    pub path: String,
    /// Its text; empty if it is not text.
    pub text: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Every file of the project, without `.git` and what `.gitignore` names.
pub fn files() -> Vec<File> {
    let root = root();
    let ignored = fs::read_to_string(root.join(".gitignore")).unwrap();
    let skipped: Vec<PathBuf> = ignored
        .lines()
        .filter_map(|line| line.strip_prefix('/'))
        .chain([".git"])
        .map(|name| root.join(name))
        .collect();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if skipped.contains(&path) {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else {
                // A picture has no text to check, but documents link to it.
                let text = String::from_utf8(fs::read(&path).unwrap()).unwrap_or_default();
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                files.push(File { path, text });
            }
        }
    }
    assert!(files.len() > 30, "the tree was not found");
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// A sample file for a self-test.
pub fn sample(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

impl File {
    /// The folder of the crate that the file belongs to.
    pub fn crate_folder(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split_once('/').map(|(folder, _)| folder)
    }

    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is compiled into the program, and not into tests or benchmarks.
    pub fn is_product(&self) -> bool {
        let ours = !matches!(self.crate_folder(), None | Some("sinete-tests" | "sinete-bench"));
        ours && self.is_rust() && self.path.contains("/src/") && !self.path.ends_with("/tests.rs")
    }

    /// The code without comments and test modules, line by line.
    pub fn code(&self) -> String {
        let mut code = String::new();
        let mut lines = self.text.lines().peekable();
        while let Some(line) = lines.next() {
            let opens_tests = line == "#[cfg(test)]"
                && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
            if opens_tests {
                // rustfmt puts the closing brace of a module at the start of its line.
                for inside in lines.by_ref() {
                    if inside == "}" {
                        break;
                    }
                }
            } else if !line.trim_start().starts_with("//") {
                code.push_str(line);
                code.push('\n');
            }
        }
        code
    }
}

#[test]
fn source_tree_code_excludes_comments_and_test_modules() {
    let file = sample(
        "crates/sinete-core/src/x.rs",
        "//! Doc\nfn a() {}\n    // why\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n",
    );
    assert_eq!(file.code(), "fn a() {}\nfn c() {}\n");
    assert_eq!(file.crate_folder(), Some("sinete-core"));
    assert!(file.is_product());
    for other in ["crates/sinete-tests/src/x.rs", "crates/sinete-core/tests/x.rs", "docs/x.rs"] {
        assert!(!sample(other, "").is_product(), "{other}");
    }
}

#[test]
fn source_tree_contains_this_file_and_no_build_output() {
    let files = files();
    assert!(
        files.iter().any(|file| file.path == "crates/sinete-tests/tests/repository_checks/source_tree.rs")
    );
    assert!(files.iter().all(|file| !file.path.starts_with("target/") && !file.path.starts_with(".git/")));
}
