//! AVIF encoding: one key frame of AV1 in a container.

use avif_serialize::Aviffy;
use avif_serialize::constants::MatrixCoefficients as BoxMatrix;
use rav1e::prelude::{
    BlockSize, ChromaSampling, ColorDescription, ColorPrimaries, Config, Context, EncoderConfig,
    EncoderStatus, Frame, MatrixCoefficients, PartitionRange, PixelRange, SceneDetectionSpeed,
    SpeedSettings, TransferCharacteristics, Tune,
};

use crate::image::Image;

/// Fastest setting of the encoder.
const SPEED: u8 = 10;
/// Quantizer of 255 at which letters stay clean.
const QUANTIZER: usize = 130;

pub(super) fn encode(image: &Image) -> Option<Vec<u8>> {
    let frame = key_frame(image)?;
    let mut file = Aviffy::new();
    file.set_matrix_coefficients(BoxMatrix::Bt601);
    file.set_chroma_subsampling((true, true));
    file.set_seq_profile(0);
    Some(file.to_vec(&frame, None, image.width(), image.height(), 8))
}

fn key_frame(image: &Image) -> Option<Vec<u8>> {
    let mut speed = SpeedSettings::from_preset(SPEED);
    speed.scene_detection_mode = SceneDetectionSpeed::None;
    speed.rdo_lookahead_frames = 1;
    speed.cdef = false;
    speed.transform.tx_domain_rate = true;
    speed.prediction.fine_directional_intra = false;
    // Letters are small: larger blocks are hardly faster and double the size of the file.
    speed.partition.partition_range =
        PartitionRange::new(BlockSize::BLOCK_8X8, BlockSize::BLOCK_8X8);
    let config = EncoderConfig {
        width: image.width() as usize,
        height: image.height() as usize,
        bit_depth: 8,
        chroma_sampling: ChromaSampling::Cs420,
        pixel_range: PixelRange::Full,
        color_description: Some(ColorDescription {
            color_primaries: ColorPrimaries::BT709,
            transfer_characteristics: TransferCharacteristics::SRGB,
            matrix_coefficients: MatrixCoefficients::BT601,
        }),
        still_picture: true,
        low_latency: true,
        min_key_frame_interval: 0,
        max_key_frame_interval: 0,
        quantizer: QUANTIZER,
        min_quantizer: QUANTIZER as u8,
        bitrate: 0,
        tune: Tune::Psnr,
        speed_settings: speed,
        ..EncoderConfig::default()
    };
    // More threads would cut the picture into tiles by the number of cores.
    let config = Config::new().with_encoder_config(config).with_threads(1);
    let mut context: Context<u8> = config.new_context().ok()?;
    let mut frame = context.new_frame();
    fill(&mut frame, image);
    context.send_frame(frame).ok()?;
    context.flush();
    let mut data = Vec::new();
    loop {
        match context.receive_packet() {
            Ok(packet) => data.extend(packet.data),
            Err(EncoderStatus::Encoded) => {}
            Err(EncoderStatus::LimitReached) => return Some(data),
            Err(_) => return None,
        }
    }
}

/// Writes luma for every pixel and chroma for every four.
fn fill(frame: &mut Frame<u8>, image: &Image) {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let pixels = image.pixels().as_chunks::<4>().0;
    let at =
        |x: usize, y: usize| pixels[y.min(height - 1) * width + x.min(width - 1)].map(i32::from);
    let mut luma = frame.planes[0].mut_slice(Default::default());
    for (row, pixels) in luma.rows_iter_mut().zip(pixels.chunks_exact(width)) {
        for (luma, pixel) in row.iter_mut().zip(pixels) {
            let [red, green, blue, _] = pixel.map(i32::from);
            *luma = ((red * 19595 + green * 38470 + blue * 7471 + (1 << 15)) >> 16) as u8;
        }
    }
    for (plane, weights) in [(1, [-11059, -21709, 32768]), (2, [32768, -27439, -5329])] {
        let mut chroma = frame.planes[plane].mut_slice(Default::default());
        for (y, row) in chroma.rows_iter_mut().take(height.div_ceil(2)).enumerate() {
            for (x, chroma) in row.iter_mut().take(width.div_ceil(2)).enumerate() {
                let mut sum = 0;
                for pixel in [
                    at(2 * x, 2 * y),
                    at(2 * x + 1, 2 * y),
                    at(2 * x, 2 * y + 1),
                    at(2 * x + 1, 2 * y + 1),
                ] {
                    let [red, green, blue, _] = pixel;
                    sum += red * weights[0] + green * weights[1] + blue * weights[2];
                }
                *chroma = (((sum + (1 << 17)) >> 18) + 128).clamp(0, 255) as u8;
            }
        }
    }
}
