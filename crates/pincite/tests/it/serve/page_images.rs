//! Page images and original files in responses of the citation SDK's routes.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{header, image_size};

fn gateway() -> Gateway {
    Gateway::start(&["--in-memory"])
}

#[test]
fn sdk_responses_contain_page_images() {
    let gateway = gateway();
    assert_eq!(
        gateway
            .attach("tide", "tide.md", "High tide was at **12:04**.")
            .0,
        200
    );
    let body = r#"{"data":{"attachmentId":"tide","outputImageFormat":"png","citations":{"a":{"fullPhrase":"High tide was at 12:04"},"b":{"fullPhrase":"never said so"}}}}"#;
    let (status, answer) = gateway.json("POST", "/verifyCitations", body);
    assert_eq!(status, 200, "{}", answer.to_json());
    let found = &answer["verifications"]["a"];
    let picture = found["evidence"]["src"].as_str().expect("a picture");
    assert!(
        picture.starts_with("data:image/png;base64,iVBOR"),
        "{picture:.60}"
    );
    assert_eq!(answer["verifications"]["b"].get("evidence"), None);
    let images = answer["attachments"]["tide"]["pageImages"].as_array();
    let images = images.expect("pages").to_vec();
    assert_eq!(images.len(), 1);
    assert_eq!(found["pageImages"].as_array().map(<[Value]>::len), Some(1));
    let url = images[0]["imageUrl"].as_str().expect("an address");
    let path = url.strip_prefix(gateway.url.as_str()).expect("ours");
    let (head, picture) = gateway.exchange("GET", path, "", b"");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (width, height) = image_size(&picture);
    let dimensions = &images[0]["dimensions"];
    assert_eq!(dimensions["width"], Value::from(width as usize));
    assert_eq!(dimensions["height"], Value::from(height as usize));
    let (_, about) = gateway.json("POST", "/getAttachment", r#"{"attachmentId":"tide"}"#);
    assert_eq!(about["pageImagesStatus"].as_str(), Some("completed"));
    assert_eq!(about["pageImages"].as_array().map(<[Value]>::len), Some(1));
    // Without a format the image is an address; an unknown format is rejected.
    let without = body.replace(r#""outputImageFormat":"png","#, "");
    let (_, answer) = gateway.json("POST", "/verifyCitations", &without);
    let source = answer["verifications"]["a"]["evidence"]["src"].as_str();
    assert!(
        source.is_some_and(|source| source.starts_with(gateway.url.as_str())),
        "{source:?}"
    );
    let photograph = body.replace("\"png\"", "\"jpeg\"");
    let (_, answer) = gateway.json("POST", "/verifyCitations", &photograph);
    let picture = answer["verifications"]["a"]["evidence"]["src"].as_str();
    let is_jpeg = |picture: &str| picture.starts_with("data:image/jpeg;base64,/9j/");
    assert!(picture.is_some_and(is_jpeg), "{picture:.60?}");
    let wrong = body.replace("\"png\"", "\"bmp\"");
    assert_eq!(gateway.json("POST", "/verifyCitations", &wrong).0, 422);
}

#[test]
fn original_file_can_be_downloaded() {
    let gateway = gateway();
    let (_, prepared) = gateway.attach("quay", "é\\\"; <quay>.html", "<p>The quay was long.");
    let download = &prepared["originalDownload"];
    assert_eq!(download["mimeType"].as_str(), Some("text/html"));
    assert_eq!(download["link"]["expiresAt"].as_str(), Some("never"));
    let url = download["link"]["url"].as_str().expect("an address");
    let path = url.strip_prefix(gateway.url.as_str()).expect("ours");
    let (head, file) = gateway.exchange("GET", path, "", b"");
    assert_eq!(file, b"<p>The quay was long.");
    assert_eq!(header(&head, "content-type"), Some("text/html"));
    // An uploaded page is never shown under our origin.
    let kept = header(&head, "content-disposition").expect("it is kept");
    assert!(
        kept.starts_with("attachment; filename*=UTF-8''%C3%A9"),
        "{kept}"
    );
    let policy = header(&head, "content-security-policy").expect("a policy");
    assert!(policy.starts_with("sandbox"), "{policy}");
    let (_, about) = gateway.json("POST", "/getAttachment", r#"{"attachmentId":"quay"}"#);
    assert_eq!(about["originalDownload"]["link"]["url"].as_str(), Some(url));
    assert_eq!(about["source"].as_str(), Some("upload"));
    assert_eq!(
        gateway.request("GET", "/documents/ebb/file", "", b"").0,
        404
    );
}
