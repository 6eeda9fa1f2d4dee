/*
 * Names for the keys of The Sims 3's clips: the bones of the game's ten rigs of people and pets, and the morphs
 * of pets' faces. Names are facts of the game; each key is the hash of its name, which the tests recompute. Two
 * rigs spell one bone differently, b__mouth_slot and b__Mouth_slot: listed is the name in people's rigs.
 */
#include "lib/formats/sims3/known_names.h"

#include "pose.h"

#include <stdlib.h>

/* Both sorted by key. */
/* clang-format off */
static const struct sims3_key bones[] = {
    {0x02908372u, "b__L_Ulna__"}, {0x0410c881u, "b__Stop__"}, {0x04b7993cu, "b__R_SideThigh_slot"},
    {0x0526aa3du, "b__R_HipTarget_slot"}, {0x05ab4f06u, "R_armExportPole"},
    {0x05b453e6u, "b__Spine3Shoulder_slot"}, {0x0728c096u, "b__R_Neck1Target_slot"},
    {0x07ddf1deu, "L_footInfo"}, {0x08e5e1ccu, "b__LeftOutBrow__"}, {0x0a6b9742u, "b__R_Toe2__"},
    {0x0a73e5bdu, "b__R_Toe1__"}, {0x0acc24b0u, "rootOffset"}, {0x0bd7ce1eu, "b__RightFlewTip__"},
    {0x0c9e57d0u, "b__L_UpperArm__"}, {0x0cd0d7c0u, "R_footInfo"}, {0x0cf10d3eu, "b__L_BellyTarget_slot"},
    {0x0e7dfa65u, "b__L_KneeTarget_slot"}, {0x0eb4037bu, "world_offset"}, {0x0ebda930u, "R_Info4"},
    {0x0ebda931u, "R_Info5"}, {0x0ebda932u, "R_Info6"}, {0x0ebda933u, "R_Info7"}, {0x0ebda935u, "R_Info1"},
    {0x0ebda936u, "R_Info2"}, {0x0ebda937u, "R_Info3"}, {0x0ebda93cu, "R_Info8"}, {0x0ebda93du, "R_Info9"},
    {0x0efa497fu, "b__L_backThighTarget_slot"}, {0x0f26be95u, "b__RightLoLip__"},
    {0x0f585bc9u, "b__RightLoLid__"}, {0x0f97b21bu, "b__Head__"}, {0x0ff1bdd1u, "b__R_inCalfTarget_slot"},
    {0x10744d1cu, "b__EarArea__"}, {0x1237c6bfu, "b__R_FrontShoulderTarget_slot"},
    {0x12864073u, "b__R_breast__"}, {0x12edc5c3u, "b__Glasses__"}, {0x1374cecbu, "b__RumpTarget_slot"},
    {0x13a6779au, "b__R_ThighUntwist__"}, {0x14b429b0u, "b__Dome__"}, {0x15af037eu, "b__L_Forearm__"},
    {0x1716d67fu, "b__mouth_slot"}, {0x17411b46u, "b__L_Ring2__"}, {0x17472b18u, "b__L_Ring0__"},
    {0x17496981u, "b__L_Ring1__"}, {0x18cb5a9fu, "b__L_frontCalfTarget_slot"},
    {0x1986ad99u, "b__R_chestTarget_slot"}, {0x1ca23c66u, "b__R_Ring0__"}, {0x1ca84c38u, "b__R_Ring2__"},
    {0x1e8edca5u, "b__R_Wrist__"}, {0x1eb57a41u, "b__L_breast__"}, {0x1fab5a56u, "b__L_Shoulder__"},
    {0x2010ca87u, "L_footOffset"}, {0x2018f586u, "b__R_Radius__"}, {0x23b79422u, "b__L_Foot__"},
    {0x2506208fu, "b__EyeArea__"}, {0x25805e96u, "b__R_shoulderbladeTarget_slot"},
    {0x27689d9eu, "b__ROOT_export__"}, {0x27bfbad0u, "b__L_Mid0__"}, {0x27c1f979u, "b__L_Mid1__"},
    {0x27ded11fu, "b__NoseArea__"}, {0x282d0c45u, "b__RightJawMid__"},
    {0x28696c2bu, "b__L_breastTarget_slot"}, {0x2993e16fu, "b__R_outShortSleeve_slot"},
    {0x2a72d486u, "b__LeftJawMid__"}, {0x2ab0350bu, "b__L_Bracelet_slot"}, {0x2b0cfbfbu, "L_slotOffset"},
    {0x2b1c68b2u, "b__R_Index2__"}, {0x2bbaca21u, "b__Rump__"}, {0x2d82eeeeu, "b__R_Stomach0_slot"},
    {0x2e727a8fu, "b__R_Ear3__"}, {0x2eaaf0adu, "b__BackNeck2__"}, {0x2f7feb00u, "b__L_inShortSleeve_slot"},
    {0x312e6f96u, "b__LeftMidBrow__"}, {0x313a98f3u, "b__R_FrontThigh__"}, {0x316e2f04u, "b__FlewBase__"},
    {0x32e75ad1u, "b__RightOutBrow__"}, {0x33bdd8a1u, "b__R_backThighTarget_slot"},
    {0x3444d3bfu, "b__R_ThighFrontTarget_slot"}, {0x344af043u, "b__NoseTip__"},
    {0x34d7126bu, "b__R_UpEar0__"}, {0x3684ef66u, "b__L_Ear0__"}, {0x368aff38u, "b__L_Ear2__"},
    {0x368d3da1u, "b__L_Ear3__"}, {0x3731eeb3u, "b__R_armpitTarget_slot"},
    {0x37664e95u, "b__carryGroupOffset_noBind__"}, {0x37bb051cu, "b__R_Foot__"},
    {0x37e413ceu, "b__LeftEyeArea__"}, {0x37f49902u, "b__Neck2__"}, {0x37fb557du, "b__Neck1__"},
    {0x3bd15657u, "b__L_Wrist__"}, {0x3d405c51u, "b__Forehead__"}, {0x3d833f4eu, "b__L_SideForearm_slot"},
    {0x405ec0bdu, "b__Jaw__"}, {0x4063c048u, "L_footInfo2"}, {0x4063c04bu, "L_footInfo1"},
    {0x4149968cu, "b__L_Thigh_Offset__"}, {0x422d4175u, "b__L_PantsLeg_slot"},
    {0x425d636au, "b__R_frontTorsoTarget_slot"}, {0x4289076bu, "b__RightEar__"}, {0x42c954a8u, "b__Back__"},
    {0x438f1372u, "b__StopBridge__"}, {0x43e63d51u, "b__R_Mid2_slot"}, {0x4512d0a7u, "b__R_BackThigh__"},
    {0x4556acc7u, "b__R_Mid0_slot"}, {0x46034cbcu, "b__LeftJaw__"},
    {0x46327b8cu, "b__L_frontTorsoTarget_slot"}, {0x46722252u, "b__Crest__"},
    {0x46879dceu, "b__RightJawBase__"}, {0x46a2c45bu, "b__R_BackCalf__"}, {0x48fc3b0bu, "b__belly__"},
    {0x490a5b29u, "b__L_armpitTarget_slot"}, {0x4952e727u, "b__Hat_grip__"},
    {0x4a1c1c4bu, "b__R_BackShoulderTarget_slot"}, {0x4a3fca04u, "b__R_ThighTarget_slot"},
    {0x4a707954u, "b__R_Toe0__"}, {0x4c4a702au, "b__LeftSquint__"}, {0x4c80ee13u, "b__R_Toe2_slot"},
    {0x4cde546au, "b__R_Thigh__Compress__"}, {0x4dbaf2a8u, "b__L_ThighTwisted__"},
    {0x4ecffcc3u, "b__skirt_lower_Compress__"}, {0x4f5e1cdau, "b__LeftEar__"},
    {0x4f8a24beu, "b__L_ShoulderTarget_slot"}, {0x4f8dbb52u, "b__Tail3__"}, {0x4f8ff9fbu, "b__Tail2__"},
    {0x4f96b536u, "b__Tail7__"}, {0x4f98f45fu, "b__Tail6__"}, {0x4f9f0471u, "b__Tail4__"},
    {0x4fa7fed5u, "b__Tail8__"}, {0x4fc6d033u, "b__L_Foot_slot"}, {0x517a7501u, "b__PlumbBob_slot"},
    {0x53758218u, "b__L_Quadricep__"}, {0x53e2d95cu, "b__L_shoulderbladeTarget_slot"},
    {0x54135682u, "b__L_outThighTarget_slot"}, {0x549cb097u, "b__UpperTeeth__"},
    {0x556b181au, "b__Pelvis__"}, {0x57884bb9u, "b__ROOT_bind__"}, {0x585da94bu, "b__L_Toe1__"},
    {0x585fe7f4u, "b__L_Toe2__"}, {0x58b9eb01u, "b__LeftEye__"}, {0x59717e8cu, "b__ChestTarget_slot"},
    {0x5a172d98u, "Root_info"}, {0x5a5e1651u, "b__L_BackTarget_slot"},
    {0x5b099700u, "b__R_ForearmTarget_slot"}, {0x5bb64526u, "b__R_upBackThighTarget_slot"},
    {0x5bc6aaf1u, "b__R_frontBellyTarget_slot"}, {0x5bdc542cu, "b__LeftUpLid__"},
    {0x5c0df160u, "b__LeftUpLip__"}, {0x5c614b0fu, "b__L_frontBellyTarget_slot"},
    {0x5ca4dfcfu, "b__R_Ring1__"}, {0x5e26402eu, "b__L_SideCalf_slot"}, {0x5e58ecb5u, "b__LeftEarArea__"},
    {0x5ff7b14au, "b__R_ThighTwisted__"}, {0x62a942b2u, "L_slotInfo"},
    {0x631006b6u, "b__L_Calf__Compress__"}, {0x6415d3b7u, "b__JawMidTarget_slot"},
    {0x646ea315u, "b__R_Clavicle__"}, {0x6498a8f0u, "b__L_UpperArmTarget_slot"},
    {0x64cff6b4u, "b__L_upBackThighTarget_slot"}, {0x64d8444du, "b__RightUpLid__"},
    {0x6509e081u, "b__RightUpLip__"}, {0x67bba27eu, "b__L_Mid2__"}, {0x6804dedbu, "b__upper_skirt__"},
    {0x69915e5fu, "R_Info10"}, {0x6a3a218au, "b__R_Ankle_slot"}, {0x6d158fb0u, "b__R_ShoulderTarget_slot"},
    {0x6e191acbu, "b__HeadNew__"}, {0x6e7c259du, "R_footOffset"}, {0x6ea499b2u, "b__BackNeck1__"},
    {0x6ea6d8dbu, "b__BackNeck0__"}, {0x6f68b2a4u, "b__L_Stomach0_slot"}, {0x6fa06782u, "b__Spine4__"},
    {0x6fa96266u, "b__Spine0__"}, {0x6faf7238u, "b__Spine2__"}, {0x6fb1b0a1u, "b__Spine3__"},
    {0x70f31118u, "b__L_Ankle_slot"}, {0x727a79e3u, "b__Tail3_slot"}, {0x72abc851u, "b__L_Mid0_slot"},
    {0x741c37c7u, "b__L_Mid2_slot"}, {0x749cb5e2u, "b__R_Thigh_Offset__"},
    {0x7507a630u, "b__R_outThighTarget_slot"}, {0x750af470u, "L_armExportPole"},
    {0x76627909u, "b__L_UpEar0__"}, {0x768792cfu, "b__L_Ear1__"}, {0x772abba6u, "b__L_ForearmTarget_slot"},
    {0x77f73cebu, "b__Neck3__"}, {0x77f97b14u, "b__Neck0__"}, {0x78894999u, "b__MouthArea__"},
    {0x7a33531cu, "b__RightEarArea__"}, {0x7aae6264u, "b__backSitTarget_slot"},
    {0x7c647b6eu, "b__skirt_upper_Compress__"}, {0x7ccd6d29u, "b__L_Hand__"}, {0x7d30f9d0u, "b__R_Mid2__"},
    {0x7db7b290u, "b__DomeTarget_slot"}, {0x7ede491bu, "b__L_Bicep__"}, {0x7f6c538bu, "b__LeftNostril__"},
    {0x80e537c3u, "b__L_lowBackTarget_slot"}, {0x812806d9u, "b__RightSquint__"},
    {0x81ab7715u, "b__NoseTipTarget_slot"}, {0x81b330deu, "b__R_Calf__"}, {0x81e1ccc8u, "R_slotInfo"},
    {0x83b1355cu, "b__R_Thigh__"}, {0x84794242u, "b__RightNostril__"}, {0x85e195d0u, "b__L_Calf__"},
    {0x87bbfc91u, "b__L_FrontThigh__"}, {0x87f4f3cdu, "b__R_backCalfTarget_slot"},
    {0x8884df07u, "b__NoseBase__"}, {0x8899d4d8u, "b__R_Thigh_Socket__"}, {0x88b96962u, "L_Info8"},
    {0x88b96963u, "L_Info9"}, {0x88b96968u, "L_Info2"}, {0x88b96969u, "L_Info3"}, {0x88b9696bu, "L_Info1"},
    {0x88b9696cu, "L_Info6"}, {0x88b9696du, "L_Info7"}, {0x88b9696eu, "L_Info4"}, {0x88b9696fu, "L_Info5"},
    {0x8b93ee73u, "b__L_Toe0_slot"}, {0x8dfba064u, "b__Chest__"}, {0x8e35bd53u, "b__FrontNeck2__"},
    {0x8e3c4b89u, "b__L_FrontShoulderTarget_slot"}, {0x8ea6a2c8u, "b__R_Hand_slot"},
    {0x8ec5268fu, "b__RightEyeArea__"}, {0x8eeabf86u, "b__R_carry_slot"}, {0x8f929ca4u, "b__Tail1__"},
    {0x8f94dbcdu, "b__Tail0__"}, {0x8f9b9708u, "b__Tail5__"}, {0x8fe06873u, "rootWorld"},
    {0x9196f6b5u, "b__R_Foot_slot"}, {0x91b1b2dbu, "b__L_backBellyTarget_slot"},
    {0x92a505ceu, "b__R_Thumb2__"}, {0x92abc109u, "b__R_Thumb1__"}, {0x93ad6a2fu, "b__RightJawTarget_slot"},
    {0x94a6a77bu, "b__L_backCalfTarget_slot"}, {0x9618393au, "b__R_outCalfTarget_slot"},
    {0x96480624u, "b__R_SideUpperArm_slot"}, {0x965dd13cu, "b__RightHollow__"},
    {0x968f97ffu, "b__BackNeck2Target_slot"}, {0x985bcf62u, "b__L_Toe0__"},
    {0x98e8ff25u, "b__R_backBellyTarget_slot"}, {0x9aafedc7u, "b__R_PantsLeg_slot"},
    {0x9b2ed3b8u, "b__LeftEye_mod__"}, {0x9bd5e550u, "b__RightEye__"}, {0x9c344585u, "b__FrontSpine4__"},
    {0x9c42fe37u, "b__L_Clavicle_Offset__"}, {0x9c4e5197u, "b__Tongue0__"}, {0x9c509000u, "b__Tongue3__"},
    {0x9d5460ceu, "b__HeadDome__"}, {0x9d61d403u, "b__L_Toe_slot"}, {0x9ddff305u, "RootInfo2"},
    {0x9ddff306u, "RootInfo1"}, {0x9e727d9au, "b__LeftForehead__"}, {0x9f266ca6u, "b__carryGroup_noBind__"},
    {0x9f4d5240u, "b__FrontNeck2_slot"}, {0xa0fca895u, "b__LoLip__"}, {0xa18a197bu, "b__R_FrontUpperArm__"},
    {0xa303ce83u, "b__L_Clavicle__"}, {0xa3ba6cedu, "b__R_Toe0_slot"}, {0xa44c550cu, "b__L_Neck2_slot"},
    {0xa4870f4au, "L_footWorld"}, {0xa4f523adu, "b__R_Bracelet_slot"}, {0xa550cc9cu, "b__LeftLoLip__"},
    {0xa691d790u, "b__R_Shoulder__"}, {0xa6e0f341u, "L_Info10"}, {0xa6f3b078u, "b__R_Toe__"},
    {0xa786b8f9u, "b__R_Clavicle_Offset__"}, {0xa86d0b70u, "b__L_Neck1Target_slot"},
    {0xa8b3a8aau, "b__R_Pinky1__"}, {0xa8b5e7d3u, "b__R_Pinky0__"}, {0xa8ba64e5u, "b__R_Pinky2__"},
    {0xa924a104u, "b__RightFlewBase__"}, {0xa92b596eu, "b__R_UpperArm__"},
    {0xa9f33bb2u, "b__RightInBrow__"}, {0xaa62635au, "b__L_SideUpperArm_slot"},
    {0xaabe959eu, "b__StomachCrotch0_slot"}, {0xac57c1d9u, "b__R_lowBackTarget_slot"},
    {0xaca798d9u, "b__L_outShortSleeve_slot"}, {0xaf9e9a53u, "b__L_ShoulderTwist__"},
    {0xafa30b6bu, "b__Spine5__"}, {0xafac05cfu, "b__Spine1__"}, {0xaff79517u, "b__L_Thumb1__"},
    {0xaff979dbu, "b__LeftJawBase__"}, {0xaff9d380u, "b__L_Thumb2__"}, {0xb07a2e26u, "b__L_Hand_slot"},
    {0xb106820du, "b__L_BackShoulderTarget_slot"}, {0xb1aad278u, "R_footWorld"},
    {0xb1de1ae5u, "R_slotOffset"}, {0xb1f508aau, "b__L_Index0__"}, {0xb1f747d3u, "b__L_Index1__"},
    {0xb3881055u, "b__L_Pinky0__"}, {0xb4f6ce51u, "b__RightForehead__"}, {0xb65e60b7u, "b__L_UpEar2__"},
    {0xb6609f20u, "b__L_UpEar1__"}, {0xb7725f2bu, "b__R_Hip__"}, {0xb78aeaa4u, "b__L_outCalfTarget_slot"},
    {0xb8587539u, "b__R_Toe_slot"}, {0xb88199d8u, "b__Stomach0__"}, {0xba821cd6u, "b__RightMouth__"},
    {0xbabb3a7du, "b__L_Ring_slot"}, {0xbbbe16b4u, "b__Spine0Lumbar_slot"}, {0xbbec6a45u, "b__JawMid__"},
    {0xbc81d5b8u, "b__Neck__"}, {0xbd2ce17eu, "b__R_Mid0__"}, {0xbd2f1fe7u, "b__R_Mid1__"},
    {0xbd4cc753u, "b__R_BackTarget_slot"}, {0xbdf5c2c1u, "b__LeftInBrow__"}, {0xbf7d091cu, "b__JawComp__"},
    {0xbf9966bdu, "b__RightJaw__"}, {0xbfa92786u, "b__R_Neck2_slot"}, {0xbfee3853u, "b__NoseBridge__"},
    {0xc04170a4u, "b__LeftJawTarget_slot"}, {0xc0ff7edau, "b__backNeck_slot"},
    {0xc183ef50u, "R_legExportPole"}, {0xc1d02c52u, "b__L_SideThigh_slot"},
    {0xc2d0302au, "L_legExportPole"}, {0xc4b39acdu, "b__L_upThighTarget_slot"},
    {0xc6035e5eu, "b__L_Thigh__"}, {0xc619c029u, "b__R_ShoulderTwist__"}, {0xc7ad1731u, "b__RightCheek__"},
    {0xc896dd5eu, "b__LowerTeeth__"}, {0xc94c0c65u, "b__R_breastTarget_slot"},
    {0xca6d6d7fu, "b__L_chestTarget_slot"}, {0xca6fc27cu, "b__plumbBobGroup_noBind__"},
    {0xcaece55au, "b__R_Quadricep__"}, {0xcd971db2u, "b__L_Thigh_Socket__"},
    {0xcdc92586u, "b__LeftFlewMid__"}, {0xce38603cu, "b__FrontNeck1__"}, {0xce442223u, "b__RightMidBrow__"},
    {0xce76a127u, "b__R_Ring_slot"}, {0xceb0355bu, "b__R_Hand__"}, {0xcf284ccdu, "b__L_Toe2_slot"},
    {0xcfb47c1du, "b__R_inForearmTarget_slot"}, {0xd045d92du, "b__L_BackThigh__"},
    {0xd04b46fcu, "b__R_Ulna__"}, {0xd0c4d27bu, "b__L_ThighTwist__"}, {0xd0dafcdbu, "b__LeftFlewBase__"},
    {0xd1cabd8fu, "b__RightFlewMid__"}, {0xd2a9e720u, "b__R_Thumb0__"}, {0xd2b451b1u, "b__L_BackCalf__"},
    {0xd3d3f5d9u, "b__L_FrontUpperArm__"}, {0xd4685ecfu, "b__LeftFlewTip__"},
    {0xd4dae48fu, "b__R_Earring_slot"}, {0xd5e15c10u, "b__lower_skirt__"},
    {0xd7707182u, "b__R_inShortSleeve_slot"}, {0xd81e3abfu, "b__L_inForearmTarget_slot"},
    {0xd97d2e80u, "b__L_carry_slot"}, {0xd9becb5cu, "b__R_SideForearm_slot"},
    {0xda12aa46u, "b__L_ThighTarget_slot"}, {0xdab8292bu, "b__R_KneeTarget_slot"},
    {0xdae21d5du, "b__L_ThighFrontTarget_slot"}, {0xdb898525u, "b__Chin__"}, {0xdc442973u, "b__Tongue4__"},
    {0xdc4c77aeu, "b__Tongue1__"}, {0xdc5333e9u, "b__Tongue2__"}, {0xdd534a80u, "b__R_Calf__Compress__"},
    {0xddcf40a9u, "b__MuzzleArea__"}, {0xdf1d341au, "b__Snout__"}, {0xdf8e2a73u, "b__LeftHollow__"},
    {0xe06c74d5u, "b__L_sideBackTorsoTarget_slot"}, {0xe1989fd9u, "b__L_Hip__"},
    {0xe21c1965u, "b__L_Earring_slot"}, {0xe25da4a8u, "b__L_Radius__"}, {0xe34cb479u, "b__Neck_slot"},
    {0xe4500cc3u, "b__L_HipTarget_slot"}, {0xe4fb4ff0u, "b__Glasses_slot"}, {0xe5331c30u, "b__LeftLoLid__"},
    {0xe59bf23bu, "b__L_Spine3_slot"}, {0xe7183236u, "b__R_UpperArmTarget_slot"},
    {0xe723d915u, "b__R_ThighTwist__"}, {0xe73d6c39u, "b__R_frontCalfTarget_slot"},
    {0xe7551519u, "b__RightEye_mod__"}, {0xe75f9bd4u, "b__R_BellyTarget_slot"}, {0xe7fd33e0u, "b__Skull__"},
    {0xe8507e6fu, "b__R_sideBackTorsoTarget_slot"}, {0xea51aa75u, "b__R_Bicep__"},
    {0xeb208104u, "b__R_Index0__"}, {0xeb22bfadu, "b__R_Index1__"},
    {0xebdde945u, "b__R_sideFrontTorsoTarget_slot"}, {0xec2ddebbu, "b__LeftMouth__"},
    {0xec80a400u, "b__L_Thigh__Compress__"}, {0xeca95d4cu, "b__L_ThighUntwist__"},
    {0xecc3a371u, "R_footInfo1"}, {0xecc3a372u, "R_footInfo2"}, {0xee35ff29u, "b__StomachBelly0_slot"},
    {0xee6fd726u, "b__R_Ear2__"}, {0xee7454f8u, "b__R_Ear0__"}, {0xee769361u, "b__R_Ear1__"},
    {0xefb28827u, "b__L_inCalfTarget_slot"}, {0xeff5bb2eu, "b__L_Thumb0__"},
    {0xf0143b40u, "b__R_Forearm__"}, {0xf14f68e3u, "b__L_sideFrontTorsoTarget_slot"},
    {0xf1f9eabcu, "b__L_Index2__"}, {0xf2ee99a0u, "b__LeftCheek__"}, {0xf383f7c3u, "b__L_Pinky2__"},
    {0xf386366cu, "b__L_Pinky1__"}, {0xf4d46e82u, "b__R_UpEar1__"}, {0xf4db2afdu, "b__R_UpEar2__"},
    {0xf56412f3u, "b__R_upThighTarget_slot"}, {0xf6dfca81u, "b__UpLip__"},
    {0xf8179dbdu, "b__R_Spine3_slot"}, {0xf9629bbbu, "b__Jawline__"}, {0xfbcf5c32u, "b__L_Toe__"},
    {0xfde9ea38u, "b__R_SideCalf_slot"}, {0xfeae6981u, "b__ROOT__"},
};

static const struct sims3_key morphs[] = {
    {0x0055d98au, "RightMouthCornerUp"}, {0x0737113eu, "LeftEyeUpperLidOpen"},
    {0x1b7e4a0au, "LeftBrowOuterUp"}, {0x2ce4f9dbu, "RightEyeUpperLidClosed"},
    {0x31e29005u, "RightBrowInnerDown"}, {0x33a14b27u, "LeftEyeLowerLidClosed"},
    {0x3410aa73u, "NoseTwitchOut"}, {0x4554bbcau, "LeftNoseSide"}, {0x46d8b68eu, "RightMouthUpperLipUp"},
    {0x4a024bf2u, "RightBrowInnerUp"}, {0x567b2648u, "LeftEyeUnderLidSquint"},
    {0x7144b88au, "LeftEyeUpperLidClosed"}, {0x7899b037u, "RightBrowOuterUp"},
    {0x7a8022e6u, "RightEyeLowerLidOpen"}, {0x7a9532ccu, "RightMouthCornerBack"},
    {0x7b59a932u, "RightEyeLowerLidClosed"}, {0x821b5273u, "LeftEyeLowerLidOpen"},
    {0x94ba544cu, "LeftBrowInnerDown"}, {0xa411711cu, "RightBrowOuterDown"},
    {0xa59a520bu, "LeftMouthCornerUp"}, {0xad6bbcbdu, "LeftBrowOuterDown"}, {0xb9d63125u, "RightNoseSide"},
    {0xbd7f1d47u, "LeftBrowInnerUp"}, {0xcb7f785du, "LeftMouthCornerBack"},
    {0xd9f7958fu, "RightEyeUpperLidOpen"}, {0xdf1aa8bdu, "RightEyeUnderLidSquint"},
    {0xf7f2bc99u, "NoseCrinkleBack"}, {0xfbb3f393u, "LeftMouthUpperLipUp"},
};
/* clang-format on */

enum { BONES = sizeof bones / sizeof *bones, MORPHS = sizeof morphs / sizeof *morphs };

static int compare_keys(const void *wanted, const void *item)
{
    uint32_t a = *(const uint32_t *)wanted, b = ((const struct sims3_key *)item)->key;
    return a < b ? -1 : a > b;
}

static const char *find(uint32_t key, const struct sims3_key *keys, size_t count)
{
    const struct sims3_key *found = bsearch(&key, keys, count, sizeof *keys, compare_keys);
    return found ? found->name : NULL;
}

const char *sims3_bone_name(uint32_t key)
{
    return find(key, bones, BONES);
}

const char *sims3_morph_name(uint32_t key)
{
    return find(key, morphs, MORPHS);
}

const char *pose_sims3_bone(uint32_t hash)
{
    return sims3_bone_name(hash);
}

const char *pose_sims3_morph(uint32_t hash)
{
    return sims3_morph_name(hash);
}
