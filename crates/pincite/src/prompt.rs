//! `pincite prompt`: instructions that teach a model to cite.

use std::io::Write as _;

use citations::PromptFormat;

use crate::cli::{PromptArgs, PromptChoice};
use crate::command_error::CommandError;

/// Prints the instructions, the reminder and the grammar of a form.
pub(crate) fn run(args: &PromptArgs) -> Result<(), CommandError> {
    let format = match args.format {
        PromptChoice::Block => PromptFormat::Block,
        PromptChoice::Tags => PromptFormat::Tags,
        PromptChoice::Footnotes => PromptFormat::Footnotes,
        PromptChoice::Json => PromptFormat::Json,
    };
    let text = format!(
        "{}\n\n(The documents go here.)\n\n{}\n\nGrammar of the form:\n\n{}\n",
        format.instructions(),
        format.reminder(),
        format.grammar()
    );
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}
