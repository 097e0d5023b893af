"""Values that look like secrets and that a vendor's manual, a standard or an emulator publishes."""

from ...model.finding import sha256_hex

# SHA-256, so that no scanner takes this file for what it lists; the page that shows each
_DOCUMENTED = frozenset(
    (
        # Azurite: learn.microsoft.com/azure/storage/common/storage-use-azurite
        "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059",
        # Cosmos DB's emulator: learn.microsoft.com/azure/cosmos-db/emulator
        "aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615",
        # docs.stripe.com/keys
        "2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326",
        "2d1f7723aabc5c7a51fcdc2463c99b5f3fdbc57cf3134db4ac12913c35976e6f",
        "f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397",
        # rfc-editor.org/rfc/rfc6749
        "e9974c507d2a802143f614c878fcbb622a3800e05e6e0d329fee2c5b6b243329",
        "6c96130f130ab0d6d158397e24d2bcc1c9a5e73ae081f6e983f1c7b545d24a4c",
        "00cf4c781dc37003f7c7dd7d4c9a6ef1e0f4c62d9a291aa8bc398774e3fefd32",
        "a35b81a7d7927b70ec99270dd2362b88580a28574af812f2c02f56469579186f",
        # rfc-editor.org/rfc/rfc6750
        "b8e148545b13c78bc74da2f1a7275dd71e56ddece129d7d2f7b3ecc06f7994da",
        # docs.github.com/apps, expiring user tokens
        "bc3ae723f57c6b9e3fd80b699fcc420f6074b0b1718039669d22631d508ac0a7",
        "82e74299544e00738f9c0acb69b1eb348b3e20ffcfabcb34779bd37590fead6c",
        "6d7fa4e64d4b1f3ea31962e258b684de1f244434ebb11089b9d9817e44c43303",
        # developers.google.com/recaptcha/docs/faq, keys for tests
        "03b970ed8171d73b58bbc9a5c72e3e4eec28503b56b3bb400a0801857dd45614",
        "f5e95c9954635b65acab57e6d5ea663eb900f06dc8794a90358f5abb1c77d4e0",
        # github.com/google/google-authenticator/wiki/Key-Uri-Format
        "8be5d113c0871ce1a122d68a7dff940ab7b09ad8dfcfd9a85aa5c1acc026279e",
        # The first account of hardhat.org and of Foundry's anvil, and of ganache
        "bc1a50966c9e6486bc4ebf880b51611a2a97fcb8e7a6976e9b81a9e3e8ca0e3c",
        "60a09e4357868c1e9b801052726d061c370429f723db84523ed58ac354f6eb8a",
        "8335c55334821eefd4334369ff9c04a8594f161013cf9d87f58802d87297837e",
        "095101cf732c298a0ce0320b9de704209cdd8640b70d8fdf4e5be51aa2eb272e",
        "578592185588730b9d10b87e2274706a8301a179cdb60fb4263c788e7e679503",
        "424742fc6538f5e7e01d32ce12784d7a425d342cec188cd00602613843d52946",
    )
)


def is_documented(value: str) -> bool:
    """Anybody may read it in a manual, and it opens nothing."""
    return sha256_hex(value) in _DOCUMENTED
