//! Form fields that ask for secrets. An agent never needs a password in a form.

/// Words that name a secret, in several languages, in lower case.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "passcode",
    "passphrase",
    "pwd",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
    "hasło",
    "heslo",
    "lösenord",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "كلمة المرور",
    "api key",
    "apikey",
    "secret key",
    "private key",
    "access token",
    "seed phrase",
    "recovery phrase",
    "cvv",
    "cvc",
    "card number",
    "credit card",
    "pin code",
    "one time code",
    "otp",
];

/// Returns true if the name or label of a field asks for a secret.
pub(crate) fn asks_for_secret(text: &str) -> bool {
    let words = split_words(text);
    SECRETS.iter().any(|secret| match secret.is_ascii() {
        // Whole words: "opt" contains no "otp", "Postcvcode" no "cvc".
        true => format!(" {words} ").contains(&format!(" {secret} ")),
        false => words.contains(secret),
    })
}

/// Returns a text in lower case with its words separated by one space: `apiKey`, `api_key` and `API-Key` are equal.
fn split_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 8);
    let mut before_is_lower = false;
    for it in text.chars() {
        let is_word = it.is_alphanumeric();
        if (it.is_uppercase() && before_is_lower || !is_word) && !words.ends_with(' ') {
            words.push(' ');
        }
        if is_word {
            words.extend(it.to_lowercase());
        }
        before_is_lower = it.is_lowercase();
    }
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognised_in_any_notation() {
        for text in [
            "password",
            "Your Password:",
            "userPassword",
            "api_key",
            "apiKey",
            "API-Key",
            "CVV",
            "Ihr Passwort",
            "密码",
        ] {
            assert!(asks_for_secret(text), "{text}");
        }
        for text in [
            "Name",
            "Option",
            "Compass",
            "Passport number",
            "Keyword",
            "Pin the card",
        ] {
            assert!(!asks_for_secret(text), "{text}");
        }
    }
}
