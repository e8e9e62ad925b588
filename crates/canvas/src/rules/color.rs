//! Colours in CSS notation. Nothing else of CSS is allowed, so that a colour cannot load or execute anything.

/// Names of colours in CSS.
const NAMES: &str = "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown \
    burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod \
    darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen \
    darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue \
    firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew \
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan \
    lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray \
    lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid \
    mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream \
    mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen \
    paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue \
    saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen \
    steelblue tan teal thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen currentcolor";
/// Functions that take numbers.
const FUNCTIONS: &[&str] = &[
    "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch",
];

/// Returns true for a colour.
pub(crate) fn is_color(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix('#') {
        return matches!(digits.len(), 3 | 4 | 6 | 8)
            && digits.bytes().all(|it| it.is_ascii_hexdigit());
    }
    let Some((function, arguments)) = text.strip_suffix(')').and_then(|it| it.split_once('('))
    else {
        return NAMES.split(' ').any(|name| name == text);
    };
    match function {
        "var" => is_variable(arguments),
        function => {
            FUNCTIONS.contains(&function) && (is_numbers(arguments) || is_themed(arguments))
        }
    }
}

/// Returns true for the name of a custom property.
fn is_variable(name: &str) -> bool {
    name.strip_prefix("--").is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
    })
}

/// Returns true for `var(--name)`, with or without `/ alpha`.
fn is_themed(arguments: &str) -> bool {
    let (variable, alpha) = arguments.split_once('/').unwrap_or((arguments, "1"));
    let variable = variable
        .trim()
        .strip_prefix("var(")
        .and_then(|it| it.strip_suffix(')'));
    variable.is_some_and(is_variable) && is_numbers(alpha)
}

/// Returns true for one to four numbers with units, separated by commas, spaces or a slash.
fn is_numbers(arguments: &str) -> bool {
    let parts: Vec<&str> = arguments
        .split([',', ' ', '/'])
        .filter(|it| !it.is_empty())
        .collect();
    let is_number = |part: &&str| {
        let number = part
            .trim_end_matches("deg")
            .trim_end_matches("turn")
            .trim_end_matches("rad")
            .trim_end_matches('%');
        number
            .bytes()
            .all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'-' | b'+'))
            && number.parse::<f64>().is_ok()
    };
    (1..=4).contains(&parts.len()) && parts.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_css_and_of_the_theme_are_accepted() {
        for text in [
            "#fff",
            "#A1B2C3",
            "#a1b2c3d4",
            "red",
            "RebeccaPurple",
            "rgb(1, 2, 3)",
            "rgb(1 2 3 / 50%)",
            "hsl(120deg 50% 50%)",
            "hsl(var(--chart-1))",
            "var(--chart-12)",
            "hsl(var(--chart-2) / 0.5)",
            "oklch(0.7 0.1 200)",
        ] {
            assert!(is_color(text), "{text}");
        }
    }

    #[test]
    fn other_css_is_refused() {
        for text in [
            "",
            "#ff",
            "#ggg",
            "url(javascript:alert(1))",
            "red;background:url(x)",
            "expression(alert(1))",
            "notacolour",
            "var(--x,url(y))",
            "hsl(var(--x)",
            "rgb(1,2,3,4,5)",
            "rgb()",
            "calc(1)",
            "hsl(url(x))",
        ] {
            assert!(!is_color(text), "{text}");
        }
    }
}
