//! How a server is greeted, and what it says where it wants to be greeted otherwise.

use rmcp::{
    model::{ErrorCode, ErrorData, ProtocolVersion},
    service::{ClientInitializeError, ClientLifecycleMode},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connection) enum Greeting {
    /// With a handshake, which asks for this version.
    Initialize(ProtocolVersion),
    /// In the newest version, which has no handshake.
    Discover,
}

impl Default for Greeting {
    /// The one that most processes know; others may end at it.
    fn default() -> Self {
        Self::Initialize(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

impl Greeting {
    pub(super) fn mode(&self) -> ClientLifecycleMode {
        match self {
            Self::Initialize(_) => ClientLifecycleMode::Initialize,
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] },
        }
    }
    /// The version that a handshake asks for.
    pub(super) fn version(&self) -> ProtocolVersion {
        match self {
            Self::Initialize(version) => version.clone(),
            Self::Discover => ProtocolVersion::LATEST_WITH_INITIALIZE,
        }
    }

    /// What a server that answered this way wants, where it refuses no more than the version. rmcp's clients leave it there.
    pub(super) fn instead(error: &ClientInitializeError) -> Option<Self> {
        match error {
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => Self::instead(fallback),
            // it knows the newest version well enough to say that it does not speak it
            ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
                if server_supported.is_empty() { Some(Self::default()) } else { Self::newest_of(server_supported) }
            }
            ClientInitializeError::JsonRpcError(error) => Self::newest_of(&supported(error)).or_else(|| {
                let unknown =
                    [ErrorCode::METHOD_NOT_FOUND, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION].contains(&error.code);
                unknown.then_some(Self::Discover)
            }),
            _ => None,
        }
    }

    fn newest_of(versions: &[ProtocolVersion]) -> Option<Self> {
        let newest = ProtocolVersion::KNOWN_VERSIONS.iter().rev().find(|version| versions.contains(version))?;
        Some(if newest.has_initialize() { Self::Initialize(newest.clone()) } else { Self::Discover })
    }
}

/// The versions that a refusal names, as MCP has it.
fn supported(error: &ErrorData) -> Vec<ProtocolVersion> {
    let named = error.data.as_ref().and_then(|data| data.get("supported"));
    named.and_then(|named| serde_json::from_value(named.clone()).ok()).unwrap_or_default()
}
