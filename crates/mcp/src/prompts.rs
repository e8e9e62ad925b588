//! Prompts that teach a model to cite and to verify.

use rmcp::model::{
    GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};

/// Rules for answers from the library, shared by the prompts.
const RULES: &str = "\
Answer only from the documents of the library. Use `search` to find passages and `read` for their pages. \
Quote word for word, and name document and page for every quote. \
Before you answer, call `verify_quote` for every quote, or `verify_answer` for the whole answer. \
Use a quote only if `verified` is true; otherwise correct it from `sourceText` and verify again, or leave it out. \
If the documents do not have the answer, say so.";

/// Returns all prompts.
pub(crate) fn list() -> ListPromptsResult {
    let required = |name: &str, description: &str| {
        PromptArgument::new(name)
            .with_description(description)
            .with_required(true)
    };
    ListPromptsResult::with_all_items(vec![
        Prompt::new(
            "answer_with_citations",
            Some("Answer a question from the library, with quotes that were verified"),
            Some(vec![required("question", "Question to answer")]),
        )
        .with_title("Answer with verified citations"),
        Prompt::new(
            "check_answer",
            Some("Verify the quotes of a text and report the wrong ones"),
            Some(vec![required("answer", "Text with quotes to verify")]),
        )
        .with_title("Check the quotes of a text"),
        Prompt::new(
            "citation_format",
            Some("Instructions that teach a model the citation format of this server"),
            None,
        )
        .with_title("Citation format"),
    ])
}

/// Returns a prompt; the error is a message for people.
pub(crate) fn get(
    name: &str,
    arguments: Option<&JsonObject>,
    citing_instructions: &str,
) -> Result<GetPromptResult, String> {
    let argument = |key: &str| {
        let value = arguments.and_then(|all| all.get(key)?.as_str());
        value
            .filter(|value| !value.trim().is_empty())
            .ok_or_else(|| format!("The prompt `{name}` needs the argument `{key}`"))
    };
    let text = match name {
        "answer_with_citations" => {
            format!("{RULES}\n\nQuestion: {}", argument("question")?)
        }
        "check_answer" => format!(
            "Call `verify_answer` with the text below. For every quote that is not verified, say what the source \
             has instead, with document and page, and propose a correction.\n\n{}",
            argument("answer")?
        ),
        "citation_format" => format!("{RULES}\n\n{citing_instructions}"),
        _ => {
            return Err(format!(
                "Prompt not found: `{name}`. `prompts/list` lists the prompts"
            ));
        }
    };
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_prompt_can_be_read_and_missing_arguments_are_named() {
        for prompt in list().prompts {
            let mut arguments = JsonObject::new();
            for argument in prompt.arguments.iter().flatten() {
                let missing = get(&prompt.name, Some(&arguments), "").expect_err("incomplete");
                assert!(missing.contains(&argument.name), "{missing}");
                arguments.insert(argument.name.clone(), "The quay is long.".into());
            }
            let read = get(&prompt.name, Some(&arguments), "cite so").expect("complete");
            assert_eq!(read.messages.len(), 1);
        }
        assert!(get("none", None, "").is_err());
    }
}
