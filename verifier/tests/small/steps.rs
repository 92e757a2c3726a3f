pub struct Steps;
